/** Up to where history must reach, so that it meets what is loaded without a hole and without a double. */

/** An instant that is not included, or the last update that is. */
export type PastEnd = { readonly ns: bigint } | { readonly cursor: string };

export function isAt(end: PastEnd | null, ns: bigint): boolean {
  return end !== null && 'ns' in end && end.ns === ns;
}

/** Whether history from `ns` on would be empty, because it is loaded. An update may lie anywhere after. */
export function isReached(end: PastEnd | null, ns: bigint): boolean {
  return end !== null && 'ns' in end && end.ns <= ns;
}
