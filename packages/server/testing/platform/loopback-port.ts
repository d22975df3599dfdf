/** A simulated thread: messages take event loop turns, and cross as between threads. */

import { EventEmitter } from 'node:events';
import type { Transferable } from 'node:worker_threads';
import type { ThreadPort, ThreadShape } from '../../src/platform/threads/thread.ts';
import { ThreadDesk } from '../../src/platform/threads/thread-desk.ts';

export class LoopbackPort<S extends ThreadShape> extends EventEmitter implements ThreadPort {
  readonly moved: Transferable[] = [];
  terminated = 0;
  readonly #inner = new EventEmitter();
  #isOver = false;

  readonly desk = new ThreadDesk<S>({
    on: (event, hear) => this.#inner.on(event, hear),
    postMessage: (message, moves) => {
      const crossed: unknown = structuredClone(message, { transfer: [...moves] as ArrayBuffer[] });
      this.moved.push(...moves);
      setImmediate(() => this.#isOver || this.emit('message', crossed));
    },
    close: () => setImmediate(() => this.exit(0)),
  });

  postMessage(message: unknown): void {
    const crossed: unknown = structuredClone(message);
    setImmediate(() => this.#isOver || this.#inner.emit('message', crossed));
  }

  exit(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit('exit', code);
  }

  /** Simulates an uncaught error. */
  fail(error: unknown): void {
    this.emit('error', error);
    this.exit(1);
  }

  async terminate(): Promise<number> {
    this.terminated += 1;
    this.exit(1);
    return 1;
  }
}
