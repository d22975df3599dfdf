/**
 * Looks whether days went from the tape, were put back or turned out otherwise behind the topics that were computed
 * over them. What is sealed by the fill is told by who did it and soon learned, so a day is told only when it is found
 * changed in two looks; and once, until its repair.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { TapeDays } from '../runs/tape-days.ts';

export class DayWatch {
  /** By contract. */
  readonly #days: ReadonlyMap<string, Pick<TapeDays, 'changed'>>;
  readonly #tell: (contract: string, day: UtcDay) => void;
  /** By contract, days that were found changed; true: it was told. */
  readonly #seen = new Map<string, ReadonlyMap<UtcDay, boolean>>();
  #isLooking = false;

  constructor(
    days: ReadonlyMap<string, Pick<TapeDays, 'changed'>>,
    tell: (contract: string, day: UtcDay) => void,
  ) {
    this.#days = days;
    this.#tell = tell;
  }

  /** Called about once a second; one look at a time. A disk that cannot be read is asked the next time. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [contract, days] of this.#days) this.#found(contract, await days.changed());
    } catch {
      // It is not the look that a disk's failure matters to.
    } finally {
      this.#isLooking = false;
    }
  }

  /** What was told of a contract is learned. */
  repaired(contract: string): void {
    this.#seen.delete(contract);
  }

  #found(contract: string, changed: readonly UtcDay[]): void {
    const before = this.#seen.get(contract);
    const seen = new Map(changed.map((day) => [day, before?.has(day) ?? false]));
    this.#seen.set(contract, seen);
    for (const [day, isSeenTwice] of seen) {
      if (isSeenTwice && before!.get(day) === false) this.#tell(contract, day);
    }
  }
}
