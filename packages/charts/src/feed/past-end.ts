/** Up to where history must reach, so that it meets what is loaded without a hole and without a double. */

import type { Segment } from './segments.ts';

/** An instant that is not included, or the last update that is. */
export type PastEnd = { readonly ns: bigint } | { readonly cursor: string };

export function isAt(end: PastEnd | null, ns: bigint): boolean {
  return end !== null && 'ns' in end && end.ns === ns;
}

/** Whether history from `ns` on would be empty, because it is loaded. An update may lie anywhere after. */
export function isReached(end: PastEnd | null, ns: bigint): boolean {
  return end !== null && 'ns' in end && end.ns <= ns;
}

/** An update of a contract means nothing to the next one; all since has come with the stream. */
export function endAfterRoll(end: PastEnd | null, { endNs }: Segment): PastEnd | null {
  return end !== null && 'cursor' in end && endNs !== null ? { ns: endNs } : end;
}

/** Null: not known. */
export function laterOf(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
