/**
 * Detects days that left the tape, came back or changed behind the topics computed over them. Days sealed by the fill
 * are reported by the fill. So a day is reported only when two looks find it changed, and once until its repair.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { TapeDays } from '../runs/tape-days.ts';

export class DayWatch {
  /** By contract. */
  readonly #days: ReadonlyMap<string, Pick<TapeDays, 'changed'>>;
  readonly #tell: (contract: string, day: UtcDay) => void;
  /** By contract, the days that were found changed; true: it was reported. */
  readonly #seen = new Map<string, ReadonlyMap<UtcDay, boolean>>();
  #isLooking = false;

  constructor(
    days: ReadonlyMap<string, Pick<TapeDays, 'changed'>>,
    tell: (contract: string, day: UtcDay) => void,
  ) {
    this.#days = days;
    this.#tell = tell;
  }

  /** Called about once a second; one look at a time. A disk that cannot be read is tried again by the next look. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [contract, days] of this.#days) this.#found(contract, await days.changed());
    } catch {
      // This look need not report a failure of the disk.
    } finally {
      this.#isLooking = false;
    }
  }

  /** The reported changes of a contract are learned. */
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
