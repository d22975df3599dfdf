/** The tabs of a browser: locks that one tab at a time holds, in order, and a channel between them. */

import type { TabsPort } from '../src/feed/shared-connection.ts';

interface Waiting {
  readonly grant: () => void;
}

export class FakeBrowser {
  readonly #holders = new Map<string, object>();
  readonly #queues = new Map<string, Waiting[]>();
  readonly #hears = new Map<object, (text: string) => void>();

  /** The port of one tab. */
  tab(): TabsPort {
    const tab = {};
    return {
      hold: (name, signal) => this.#hold(name, signal, tab),
      isFree: async (name) => !this.#holders.has(name),
      say: (text) => {
        for (const [other, hear] of this.#hears)
          if (other !== tab) queueMicrotask(() => hear(text));
      },
      listen: (hear) => {
        this.#hears.set(tab, hear);
        return () => this.#hears.delete(tab);
      },
    };
  }

  #hold(name: string, signal: AbortSignal, tab: object): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const queue = this.#queues.getOrInsertComputed(name, () => []);
    const waiting: Waiting = {
      grant: () => {
        this.#holders.set(name, tab);
        resolve(() => {
          this.#holders.delete(name);
          queue.shift()?.grant();
        });
      },
    };
    if (this.#holders.has(name)) queue.push(waiting);
    else waiting.grant();
    signal.addEventListener('abort', () => {
      const at = queue.indexOf(waiting);
      if (at !== -1) queue.splice(at, 1);
      reject(signal.reason);
    });
    return promise;
  }
}
