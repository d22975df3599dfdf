/**
 * Gives memory back at once that nobody looks at any more. Left to the garbage collector, the batches of
 * a long read, or the pages of history, count as so much memory that it starts over and over, though it
 * finds hardly anything.
 */

import { isMarkedAsUntransferable } from 'node:worker_threads';

/** Views of it are empty afterwards. Memory that others may share stays as it is. */
export function freeMemory(buffer: ArrayBufferLike): void {
  // Small pieces lie in a pool of the runtime.
  if (buffer instanceof SharedArrayBuffer || isMarkedAsUntransferable(buffer)) return;
  if (!buffer.detached) buffer.transfer(0);
}
