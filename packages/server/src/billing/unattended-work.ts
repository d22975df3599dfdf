/**
 * Work without a waiting caller: single jobs in the background, and rounds, one at a time. A job is recorded before it
 * runs, so a failure is only logged: a later round retries it.
 */

import type { Log } from '../platform/log/log.ts';

export class UnattendedWork<Round> {
  readonly #log: Log;
  /** The log message for a failed job. */
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

  /** A request during a round shares that round. */
  round(run: () => Promise<Round>): Promise<Round> {
    this.#round ??= run().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  /** Resolves when no work is in progress. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#round?.catch(() => undefined);
  }
}
