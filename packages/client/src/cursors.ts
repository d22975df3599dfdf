/** Cursors, `<utcDay>.<rank>.<k>`, compared number by number. */

const CURSOR = /^([1-9]\d{7})\.(0|[1-9]\d{0,18})\.(0|[1-9]\d{0,18})$/;

/** Below zero where `a` is before `b`. What is no cursor is before every cursor. */
export function compareCursors(a: string, b: string): number {
  const left = CURSOR.exec(a);
  const right = CURSOR.exec(b);
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return (
    compareDigits(left[1]!, right[1]!) ||
    compareDigits(left[2]!, right[2]!) ||
    compareDigits(left[3]!, right[3]!)
  );
}

/** Without leading zeros the longer number is the greater one, and equally long ones compare as text. */
function compareDigits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
