/**
 * The clock of a client in a test. Waits end at once, and are remembered, so that a test sees how long the
 * client would have waited; those that are at least as long as `patienceMs` never end by themselves.
 */

import { setImmediate as turn } from 'node:timers/promises';

/** The client waits this long for a silent server; tests see shorter waits pass by. */
const PATIENCE_MS = 100_000;

interface PendingWait {
  readonly ms: number;
  readonly call: () => void;
}

export class HurriedClock {
  /** How long every wait was that has begun, in order, the patient ones left out. */
  readonly waits: number[] = [];
  readonly #pending = new Set<PendingWait>();
  readonly #patienceMs: number;
  #now = 0;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** Waits under way: none are left when nothing is going on. */
  get pending(): number {
    return this.#pending.size;
  }

  /** How long they are. */
  get pendingMs(): readonly number[] {
    return Array.from(this.#pending, ({ ms }) => ms);
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const wait = { ms, call };
    this.#pending.add(wait);
    if (ms < this.#patienceMs) {
      this.waits.push(ms);
      setImmediate(() => this.#end(wait));
    }
    return { cancel: () => this.#pending.delete(wait) };
  }

  /** Ends all waits under way, the patient ones too, once there are any. */
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
