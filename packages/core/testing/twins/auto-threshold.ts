/** The threshold of a session from the sizes of earlier sessions; incomplete ones have none. */

export function autoThreshold(sessionSizes: readonly number[][], perSession: number): number {
  const source = sessionSizes.slice(-10).findLast((sizes) => sizes.length > 0);
  if (source === undefined) return Number.POSITIVE_INFINITY;
  const largestFirst = source.toSorted((a, b) => b - a);
  return largestFirst[perSession - 1] ?? largestFirst.at(-1)!;
}
