/**
 * Work that nobody waits for: single pieces in the background, and rounds, one at a time. What a piece works on is recorded
 * before, so one that fails is only logged: a later round takes it up.
 */

import type { Log } from '../platform/log/log.ts';

export class UnattendedWork<Round> {
  readonly #log: Log;
  /** What is logged of a piece that failed. */
  readonly #failure: string;
  readonly #underWay = new Set<Promise<void>>();
  #round: Promise<Round> | null = null;

  constructor(log: Log, failure: string) {
    this.#log = log;
    this.#failure = failure;
  }

  inBackground(work: Promise<unknown>): void {
    const over: Promise<void> = work
      .then(() => undefined)
      .catch((error: unknown) => this.#log.error({ error }, this.#failure))
      .finally(() => this.#underWay.delete(over));
    this.#underWay.add(over);
  }

  /** Whoever asks for one while another goes on shares that. */
  round(run: () => Promise<Round>): Promise<Round> {
    this.#round ??= run().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#round?.catch(() => undefined);
  }
}
