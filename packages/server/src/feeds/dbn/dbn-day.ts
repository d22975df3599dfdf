/**
 * The UTC day of instants that are given as the two halves of a 64-bit number. A day's start is a multiple of 65,536
 * ns, so it is an exact double, and so is the distance to any instant of that day: no bigint is needed.
 */

import { DAY_NS } from '@tapeloom/core/units';
import { dayFromNumber } from '@tapeloom/core/utc-day';

export const HIGH = 2 ** 32;
const GRAIN = 65_536;

export class DbnDay {
  /** Like 20261116; 0 before the first. */
  day = 0;
  /** Nanoseconds since 1970; exact. */
  startNs = -DAY_NS;

  /** Whether the instant is of this day. */
  has(high: number, low: number): boolean {
    const ns = high * HIGH - this.startNs + low;
    return ns >= 0 && ns < DAY_NS;
  }

  /** Becomes the day of the instant. */
  moveTo(high: number, low: number): void {
    const grains = high * GRAIN + (low >>> 16);
    const number = Math.floor(grains / (DAY_NS / GRAIN));
    this.day = dayFromNumber(number);
    this.startNs = number * DAY_NS;
  }
}
