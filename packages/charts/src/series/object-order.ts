/**
 * Ids of objects are numbers between dots: the day, the rank of the first trade, and a count. A part that is no number,
 * as an indicator of a newer service may have it, is ordered as text after all numbers.
 */

export function compareObjectIds(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const difference = compareParts(left[at]!, right[at]!);
    if (difference !== 0) return difference;
  }
  // Equal numbers may be written differently; different ids never compare as equal.
  return left.length - right.length || (a < b ? -1 : 1);
}

function compareParts(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [Number(a), Number(b)];
  const [isTextLeft, isTextRight] = [Number.isNaN(left), Number.isNaN(right)];
  if (isTextLeft !== isTextRight) return isTextLeft ? 1 : -1;
  if (isTextLeft) return a < b ? -1 : 1;
  return left - right;
}
