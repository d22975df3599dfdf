/** Cursors, `<utcDay>.<rank>.<k>`, compared number by number. */

const DAY_DIGITS = 8;
const DOT = 46;

/** Below zero where `a` is before `b`. What has not the shape of a cursor is before all that have. */
export function compareCursors(a: string, b: string): number {
  const left = rankEnd(a);
  const right = rankEnd(b);
  if (left === -1 || right === -1) return Math.sign(left) - Math.sign(right);
  return (
    compareDigits(a, b, 0, DAY_DIGITS, DAY_DIGITS) ||
    compareDigits(a, b, DAY_DIGITS + 1, left, right) ||
    // The k stands behind the rank, whose ends are the same by now.
    compareDigits(a, b, left + 1, a.length, b.length)
  );
}

/** Where the second dot is; -1 where there is none, or the first is not behind the day. */
function rankEnd(cursor: string): number {
  if (cursor.charCodeAt(DAY_DIGITS) !== DOT) return -1;
  for (let at = DAY_DIGITS + 1; at < cursor.length; at += 1) {
    if (cursor.charCodeAt(at) === DOT) return at;
  }
  return -1;
}

/** Without leading zeros the longer number is the greater one, and equally long ones compare digit by digit. */
function compareDigits(a: string, b: string, start: number, endA: number, endB: number): number {
  if (endA !== endB) return endA - endB;
  for (let at = start; at < endA; at += 1) {
    const order = a.charCodeAt(at) - b.charCodeAt(at);
    if (order !== 0) return order;
  }
  return 0;
}
