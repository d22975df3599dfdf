/**
 * The UTC day of instants that are given as the two halves of a 64-bit number. A day's start is a multiple of 65,536
 * ns, so it is an exact double, and so is the distance to any instant of that day: no bigint is needed.
 *
 * A high half lasts 4.3 seconds. One that lies in the day as a whole tells by itself that the instant does, whatever its
 * low half is; at the edges both are needed.
 */

import { DAY_NS } from '@tapeloom/core/units';
import { dayFromNumber } from '@tapeloom/core/utc-day';

export const HIGH = 2 ** 32;
const GRAIN_NS = 65_536;

export class DbnDay {
  /** Like 20261116; 0 before the first. */
  day = 0;
  /** Nanoseconds since 1970; exact. */
  #startNs = -DAY_NS;
  /** The first high half that lies in the day as a whole, and how many follow it; none before the first day. */
  firstHigh = 0;
  moreHighs = -1;
  /** From the day's start to that high half. */
  firstHighNs = 0;

  /** Nanoseconds since the day's start, if the instant is of this day. */
  nsOf(high: number, low: number): number {
    return high * HIGH - this.#startNs + low;
  }

  /** Becomes the day of the instant; whether it was another. */
  moveTo(high: number, low: number): boolean {
    const ns = this.nsOf(high, low);
    if (ns >= 0 && ns < DAY_NS) return false;
    const grains = high * (HIGH / GRAIN_NS) + Math.floor(low / GRAIN_NS);
    const number = Math.floor(grains / (DAY_NS / GRAIN_NS));
    this.day = dayFromNumber(number);
    this.#startNs = number * DAY_NS;
    this.firstHigh = Math.ceil(this.#startNs / HIGH);
    this.moreHighs = Math.floor((this.#startNs + DAY_NS) / HIGH) - 1 - this.firstHigh;
    this.firstHighNs = this.firstHigh * HIGH - this.#startNs;
    return true;
  }
}
