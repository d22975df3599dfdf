/**
 * A client's clock for tests. Waits end at once and are recorded, so that a test sees how long the client would have
 * waited. Waits of `heldFromMs` or longer end only when the test ends them.
 */

import { setImmediate as turn } from 'node:timers/promises';

/** The client waits this long for a silent server; shorter waits end at once. */
const WAIT_LIMIT_MS = 100_000;

interface PendingWait {
  readonly ms: number;
  readonly call: () => void;
}

export class HurriedClock {
  /** The length of every wait so far, in order, without the long ones. */
  readonly waits: number[] = [];
  readonly #pending = new Set<PendingWait>();
  readonly #heldFromMs: number;
  #now = 0;

  constructor(heldFromMs = WAIT_LIMIT_MS) {
    this.#heldFromMs = heldFromMs;
  }

  /** Pending waits: zero when nothing is going on. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Their lengths. */
  get pendingMs(): readonly number[] {
    return Array.from(this.#pending, ({ ms }) => ms);
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const wait = { ms, call };
    this.#pending.add(wait);
    if (ms < this.#heldFromMs) {
      this.waits.push(ms);
      setImmediate(() => this.#end(wait));
    }
    return { cancel: () => this.#pending.delete(wait) };
  }

  /** Ends all pending waits, the long ones included, once there are any. */
  async run(): Promise<void> {
    while (this.#pending.size === 0) await turn();
    for (const wait of [...this.#pending]) this.#end(wait);
  }

  #end(wait: PendingWait): void {
    if (!this.#pending.delete(wait)) return;
    this.#now += wait.ms;
    wait.call();
  }
}
