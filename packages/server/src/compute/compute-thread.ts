/** A compute thread as its pool holds it, and its worker. */

import { type Transferable, Worker } from 'node:worker_threads';
import { Thread, type ThreadPort } from '../platform/threads/thread.ts';
import type { ComputeShape, ComputeThreadData } from './compute-wire.ts';

export class ComputeThread extends Thread<ComputeShape> {
  /** Reads open in the thread. */
  open = 0;
}

/** The count of sent messages is shared with the thread. */
export function startComputeThread(data: Omit<ComputeThreadData, 'sent'>): ThreadPort {
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./compute-worker.ts', import.meta.url), {
    name: 'compute',
    workerData: { ...data, sent: sent.buffer } satisfies ComputeThreadData,
    transferList: [...data.tapePorts.values()],
  });
  const post = worker.postMessage.bind(worker);
  return Object.assign(worker, {
    postMessage(message: unknown, moves: readonly Transferable[]): void {
      Atomics.add(sent, 0, 1);
      post(message, moves);
    },
  });
}
