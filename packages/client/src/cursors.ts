/** Cursors, `<utcDay>.<rank>.<k>`, compared number by number. */

const DAY_DIGITS = 8;
const DOT = 46;

/** Negative if `a` is before `b`. A text that does not have the shape of a cursor sorts before all cursors. */
export function compareCursors(a: string, b: string): number {
  const left = rankEnd(a);
  const right = rankEnd(b);
  if (left === -1 || right === -1) return Math.sign(left) - Math.sign(right);
  return (
    compareDigits(a, b, 0, DAY_DIGITS, DAY_DIGITS) ||
    compareDigits(a, b, DAY_DIGITS + 1, left, right) ||
    // The ranks are equal here, so only `k` is left to compare.
    compareDigits(a, b, left + 1, a.length, b.length)
  );
}

/** The index of the second dot; -1 if there is none, or if the first dot does not follow the day. */
function rankEnd(cursor: string): number {
  if (cursor.charCodeAt(DAY_DIGITS) !== DOT) return -1;
  for (let at = DAY_DIGITS + 1; at < cursor.length; at += 1) {
    if (cursor.charCodeAt(at) === DOT) return at;
  }
  return -1;
}

/** The numbers have no leading zeros: the longer one is greater, and equally long ones compare digit by digit. */
function compareDigits(a: string, b: string, start: number, endA: number, endB: number): number {
  if (endA !== endB) return endA - endB;
  for (let at = start; at < endA; at += 1) {
    const order = a.charCodeAt(at) - b.charCodeAt(at);
    if (order !== 0) return order;
  }
  return 0;
}
