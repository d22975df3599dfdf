/** A thread for `thread.test.ts`. */

import { parentPort } from 'node:worker_threads';
import { ThreadDesk } from '../../src/platform/threads/thread-desk.ts';

const desk = new ThreadDesk<{
  readonly calls: {
    double(value: number): number;
    bytes(length: number): { readonly all: Uint8Array<ArrayBuffer> };
    refuse(why: string): never;
    fail(): never;
    wait(): void;
  };
  readonly orders: { readonly text: string };
  readonly news: string;
  readonly refusal: { readonly why: string };
}>(parentPort!);

class Refused extends Error {}

desk.open({
  calls: {
    double: (value) => 2 * value,
    bytes: (length) => ({ all: new Uint8Array(length).fill(7) }),
    refuse: (why) => {
      throw new Refused(why);
    },
    fail: () => {
      throw new TypeError('a fault of ours');
    },
    // It blocks, and receives nothing any more.
    wait: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000),
  },
  obey: ({ text }) => desk.tell(text),
  refusalOf: (error) => {
    if (!(error instanceof Refused)) throw error;
    return { why: error.message };
  },
  movesMemory: true,
});
