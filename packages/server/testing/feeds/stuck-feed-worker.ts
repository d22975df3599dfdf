/** Replaces the thread that reads files: opens any file, and on its first chunk hangs or takes all memory. */

import { parentPort, workerData } from 'node:worker_threads';
import type { FeedShape } from '../../src/feeds/guarded/feed-wire.ts';
import { ThreadDesk } from '../../src/platform/threads/thread-desk.ts';

const { alive, name } = workerData as {
  readonly alive: Int32Array;
  readonly name: 'stuck' | 'vast';
};
const desk = new ThreadDesk<FeedShape>(parentPort!);

Atomics.add(alive, 0, 1);
desk.open({
  calls: {
    open: () => ({ reasons: [], mapping: null }),
    next: () => {
      desk.tell('Row group 1, column "price"');
      for (let held: unknown = null; ; ) if (name === 'vast') held = [held];
    },
    openDefinitions: () => {},
    nextDefinitions: () => null,
    close: () => {},
  },
  refusalOf: (error) => {
    throw error;
  },
});
