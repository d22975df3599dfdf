/** Counts lines off those that a read may skip: whole days of them are left out, others only counted. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import { countUntil } from '../runs/day-lines.ts';
import type { DayResult, SkippedLines } from './settled-days.ts';

export class LineSkipping {
  readonly #after: EpochNs | null;
  #left: number;
  #leftOut = 0;

  constructor(skip: SkippedLines | undefined) {
    this.#after = skip?.after ?? null;
    this.#left = skip?.lines ?? 0;
  }

  get mayGoOn(): boolean {
    return this.#left > 0;
  }

  /** Whether a day of so many lines is left out. */
  skips(lines: number | null): boolean {
    if (lines === null || lines > this.#left) return false;
    this.#left -= lines;
    this.#leftOut += lines;
    return true;
  }

  counted(result: DayResult): DayResult {
    if (this.#after === null) return result;
    const { fromNs } = result.settled;
    const isFirst = result.day === dayOf(this.#after);
    const before = isFirst ? countUntil(fromNs, nsOfDay(this.#after)) : 0;
    const linesBefore = this.#leftOut;
    this.#left = Math.max(0, this.#left - (fromNs.length - before));
    this.#leftOut = 0;
    return { ...result, linesBefore };
  }
}
