/** A thread for `FeedThread` that hangs or takes all memory on its first file; later threads are real. */

import { Worker, type WorkerOptions } from 'node:worker_threads';

export function stuckAtFirst(name: 'stuck' | 'vast'): (options: WorkerOptions) => Worker {
  let isFirst = true;
  return (options) => {
    const file = isFirst
      ? new URL('./stuck-feed-worker.ts', import.meta.url)
      : new URL('../../src/feeds/guarded/feed-worker.ts', import.meta.url);
    isFirst = false;
    const workerData = { ...(options.workerData as object), name };
    return new Worker(file, { ...options, workerData });
  };
}
