/**
 * The UTC day of instants given as two halves of a 64-bit number, without bigint. A day's start is a multiple of 65,536
 * ns, so it is an exact double, and so is the distance to any instant of the day. A high half lasts 4.3 seconds. If it
 * lies completely in the day, the low half is irrelevant; at the edges of the day both are needed.
 */

import { DAY_NS } from '@tapeloom/core/units';
import { dayFromNumber } from '@tapeloom/core/utc-day';

export const HIGH = 2 ** 32;
const GRAIN_NS = 65_536;

export class DbnDay {
  /** A number like 20261116; 0 before the first. */
  day = 0;
  /** Nanoseconds since 1970; exact. */
  #startNs = -DAY_NS;
  /** The first high half completely in the day, and how many follow it; none before the first day. */
  firstHigh = 0;
  moreHighs = -1;
  /** The distance from the day's start to `firstHigh`. */
  firstHighNs = 0;

  /** Nanoseconds since the day's start; valid for an instant of this day. */
  nsOf(high: number, low: number): number {
    return high * HIGH - this.#startNs + low;
  }

  /** Moves to the day of the instant; returns whether the day has changed. */
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
