/**
 * Frees memory at once that is no longer used. With garbage collection alone, the batches of a long read or the pages
 * of history count as so much memory that collections run over and over with little result.
 */

import { isMarkedAsUntransferable } from 'node:worker_threads';

/** Its views are empty afterwards. Shared memory is not affected. */
export function freeMemory(buffer: ArrayBufferLike): void {
  // Small buffers belong to a pool of the runtime.
  if (buffer instanceof SharedArrayBuffer || isMarkedAsUntransferable(buffer)) return;
  if (!buffer.detached) buffer.transfer(0);
}
