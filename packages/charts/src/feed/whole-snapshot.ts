/** Whether a snapshot holds all objects of its session, or only the newest: the service limits its count and its size. */

import type { IndicatorObject } from '@tapeloom/client/stream';

/** Of the 524,288 that the service permits: an object that was left out would have been larger than the rest. */
const BYTES_MAX = 393_216;
/** What the service counts around an object, and a little more. */
const AROUND_BYTES = 16;

/** False if it may be cut. */
export function isWholeSnapshot(
  objects: readonly IndicatorObject<string>[],
  depth: number,
): boolean {
  if (objects.length >= depth) return false;
  let bytes = 0;
  for (const { id, final, ts, data } of objects) {
    bytes += JSON.stringify({ id, final, ts: String(ts), data }).length + AROUND_BYTES;
  }
  return bytes <= BYTES_MAX;
}
