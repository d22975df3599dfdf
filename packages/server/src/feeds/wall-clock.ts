/**
 * A zone's offset from UTC at wall times, fast for millions of calls. A day without a clock change is looked up twice,
 * any other once for each of its minutes. A wall time that a clock change skips or repeats is rejected.
 */

import { type LocalTime, zonedInstant } from '@tapeloom/core/calendar/zoned-instant';
import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_SECONDS, SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayNumber } from '@tapeloom/core/utc-day';

export class WallClock {
  readonly #zone: string;
  #date = 0;
  /** For the whole date; NaN if the clocks change on it. */
  #aheadSeconds = 0;
  readonly #minutes = new Map<number, number>();

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Seconds ahead of UTC; NaN if the wall time does not exist or exists twice. */
  aheadSeconds(date: UtcDay, secondOfDay: number): number {
    if (this.#zone === 'UTC') return 0;
    if (date !== this.#date) this.#turnTo(date);
    if (!Number.isNaN(this.#aheadSeconds)) return this.#aheadSeconds;
    const minute = Math.floor(secondOfDay / 60);
    let ahead = this.#minutes.get(minute);
    if (ahead === undefined) {
      ahead = this.#ask(date, minute);
      this.#minutes.set(minute, ahead);
    }
    return ahead;
  }

  #turnTo(date: UtcDay): void {
    this.#date = date;
    this.#minutes.clear();
    const atBegin = this.#ask(date, 0);
    const atEnd = this.#ask(date, 24 * 60);
    this.#aheadSeconds = atBegin === atEnd ? atBegin : Number.NaN;
  }

  #ask(date: UtcDay, minute: number): number {
    const two = (value: number) => String(value).padStart(2, '0');
    const time = `${two(Math.floor(minute / 60))}:${two(minute % 60)}` as LocalTime;
    try {
      const instant = zonedInstant(date, time, this.#zone);
      return dayNumber(date) * DAY_SECONDS + minute * 60 - Number(instant / SECOND_NS_BIG);
    } catch {
      return Number.NaN;
    }
  }
}

/** Whether the runtime knows this IANA zone. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
