/** Ids of objects are numbers between dots: the day, the rank of the first trade, and a count. */

export function compareObjectIds(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
