/**
 * Parses times of a text to UTC days and nanoseconds, exact to the last digit, without a `Date` per row. Times before
 * 1973 are rejected: there is no such data, and a number in the wrong unit ends up there.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_SECONDS, SECOND_NS } from '@tapeloom/core/units';
import { dayFromNumber, dayNumber, utcDay } from '@tapeloom/core/utc-day';
import type { TimeMapping, TimeUnit } from '../feed-mapping.ts';
import { WallClock } from '../wall-clock.ts';
import type { FieldIndex } from './field-index.ts';
import { textOf, wholeNumber } from './number-fields.ts';
import type { Reading } from './reading.ts';
import { TimePattern } from './time-pattern.ts';

const ZERO = 0x30;
const DOT = 0x2e;
const SECONDS_LEAST = dayNumber(utcDay(19_730_101)) * DAY_SECONDS;
const SECONDS_MOST = (dayNumber(utcDay(99_991_231)) + 1) * DAY_SECONDS - 1;
/** The number of decimal digits of each unit, counted from seconds. */
export const UNIT_DIGITS: Readonly<Record<Exclude<TimeUnit, 'by-digits'>, number>> = {
  s: 0,
  ms: 3,
  us: 6,
  ns: 9,
};
const UNIT_NAMES: Readonly<Record<TimeUnit, string>> = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  'by-digits': 'seconds, milliseconds, microseconds or nanoseconds',
};
/** Digits of a time in seconds since 1970, from 2001 to 2286. */
export const SECOND_DIGITS = 10;
/** Digits of a time in nanoseconds. */
export const DIGITS_MAX = 19;
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

export class TimeFields {
  readonly days: Uint32Array;
  readonly ns: Float64Array;
  readonly #read: (bytes: Uint8Array, fields: FieldIndex, row: number) => string | null;
  readonly #clock: WallClock;
  /** The UTC day of the last row, usually that of the next one, and its limits in seconds since 1970. */
  day = 0;
  dayBegin = 0;
  dayEnd = 0;
  #seconds = 0;
  #fractionNs = 0;

  /** `slots` are those of the column, or of date and time. */
  constructor(time: TimeMapping, slots: readonly number[], capacity: number) {
    this.days = new Uint32Array(capacity);
    this.ns = new Float64Array(capacity);
    this.#clock = new WallClock(time.kind === 'epoch' ? 'UTC' : (time.zone ?? 'UTC'));
    this.#read = this.#readerOf(time, slots);
  }

  /** Reads rows `from` to `reading.end` into the columns, starting at `to`. */
  read(bytes: Uint8Array, fields: FieldIndex, from: number, to: number, reading: Reading): void {
    for (let row = from; row < reading.end; row += 1) {
      const fault = this.#read(bytes, fields, row) ?? this.#put(to + row - from);
      if (fault !== null) reading.stop(row, fault);
    }
  }

  #put(to: number): string | null {
    const seconds = this.#seconds;
    if (!(seconds >= this.dayBegin && seconds < this.dayEnd)) {
      if (!(seconds >= SECONDS_LEAST && seconds <= SECONDS_MOST)) {
        return 'has a time before 1973 or after 9999: is its unit right?';
      }
      const number = Math.floor(seconds / DAY_SECONDS);
      this.day = dayFromNumber(number);
      this.dayBegin = number * DAY_SECONDS;
      this.dayEnd = this.dayBegin + DAY_SECONDS;
    }
    this.days[to] = this.day;
    this.ns[to] = (seconds - this.dayBegin) * SECOND_NS + this.#fractionNs;
    return null;
  }

  #readerOf(time: TimeMapping, slots: readonly number[]) {
    const [first, second] = slots as [number, number];
    switch (time.kind) {
      case 'epoch':
        return this.#epochReader(time.unit, first);
      case 'midnight':
        return this.#midnightReader(time, first);
      case 'text':
        return this.#textReader(time.pattern, first, time.zone !== null);
      case 'date-and-time':
        return this.#pairReader(time.datePattern, time.timePattern, first, second);
      default:
        return time satisfies never;
    }
  }

  #epochReader(unit: TimeUnit, slot: number) {
    return (bytes: Uint8Array, { starts, ends, capacity }: FieldIndex, row: number) => {
      const start = starts[slot * capacity + row]!;
      const end = ends[slot * capacity + row]!;
      return this.#number(bytes, start, end, unit)
        ? null
        : `has the time "${textOf(bytes, start, end)}", which is no number of ${UNIT_NAMES[unit]}`;
    };
  }

  /** A number of the unit, mostly without a fraction. */
  #number(bytes: Uint8Array, start: number, end: number, unit: TimeUnit): boolean {
    if (this.#digits(bytes, start, end, unit)) return true;
    const dot = bytes.subarray(start, end).indexOf(DOT);
    if (dot === -1 || !this.#digits(bytes, start, start + dot, unit)) return false;
    let placeNs = 10 ** (8 - (unit === 'by-digits' ? dot - SECOND_DIGITS : UNIT_DIGITS[unit]));
    for (let at = start + dot + 1; at < end; at += 1) {
      const digit = bytes[at]! - ZERO;
      if (!(digit >= 0 && digit <= 9)) return false;
      // Digits below a nanosecond must be zero.
      if (placeNs < 1 && digit !== 0) return false;
      if (placeNs >= 1) this.#fractionNs += digit * placeNs;
      placeNs /= 10;
    }
    return true;
  }

  /** The digits of whole seconds, then of their fraction. */
  #digits(bytes: Uint8Array, start: number, end: number, unit: TimeUnit): boolean {
    const count = end - start;
    if (count <= 0 || count > DIGITS_MAX) return false;
    const below = unit === 'by-digits' ? count - SECOND_DIGITS : UNIT_DIGITS[unit];
    if (unit === 'by-digits' && (below < 0 || below % 3 !== 0)) return false;
    const middle = Math.max(start, end - below);
    const seconds = wholeNumber(bytes, start, middle);
    const fraction = wholeNumber(bytes, middle, end);
    if (seconds < 0 || fraction < 0) return false;
    this.#seconds = seconds;
    this.#fractionNs = fraction * POWERS[9 - below]!;
    return true;
  }

  #midnightReader(
    { unit, date, zone }: { unit: TimeUnit; date: number; zone: string },
    slot: number,
  ) {
    const day = utcDay(date);
    return (bytes: Uint8Array, { starts, ends, capacity }: FieldIndex, row: number) => {
      const start = starts[slot * capacity + row]!;
      const end = ends[slot * capacity + row]!;
      if (!this.#number(bytes, start, end, unit) || this.#seconds >= DAY_SECONDS) {
        return `has the time "${textOf(bytes, start, end)}", which is no number of ${UNIT_NAMES[unit]} of a day`;
      }
      return this.#setWall(day, this.#seconds, zone);
    };
  }

  #textReader(pattern: string, slot: number, hasZone: boolean) {
    const time = new TimePattern(pattern);
    return (bytes: Uint8Array, { starts, ends, capacity }: FieldIndex, row: number) => {
      const start = starts[slot * capacity + row]!;
      const end = ends[slot * capacity + row]!;
      if (!time.read(bytes, start, end)) return notOf(pattern, textOf(bytes, start, end));
      this.#fractionNs = time.fractionNs;
      if (Number.isNaN(time.offsetSeconds)) {
        if (hasZone) return this.#setWall(time.date as UtcDay, time.secondOfDay);
        return `has the time "${textOf(bytes, start, end)}" without an offset, and no zone was given`;
      }
      this.#seconds = this.#midnight(time.date) + time.secondOfDay - time.offsetSeconds;
      return null;
    };
  }

  #pairReader(datePattern: string, timePattern: string, dateSlot: number, timeSlot: number) {
    const date = new TimePattern(datePattern);
    const time = new TimePattern(timePattern);
    return (bytes: Uint8Array, { starts, ends, capacity }: FieldIndex, row: number) => {
      const dateStart = starts[dateSlot * capacity + row]!;
      const dateEnd = ends[dateSlot * capacity + row]!;
      if (!date.read(bytes, dateStart, dateEnd)) {
        return notOf(datePattern, textOf(bytes, dateStart, dateEnd));
      }
      const start = starts[timeSlot * capacity + row]!;
      const end = ends[timeSlot * capacity + row]!;
      if (!time.read(bytes, start, end)) return notOf(timePattern, textOf(bytes, start, end));
      this.#fractionNs = time.fractionNs;
      return this.#setWall(date.date as UtcDay, time.secondOfDay);
    };
  }

  #setWall(date: UtcDay, secondOfDay: number, zone = 'its zone'): string | null {
    const ahead = this.#clock.aheadSeconds(date, secondOfDay);
    if (Number.isNaN(ahead)) {
      return `has a time at which the clocks of ${zone} change, so that it is none or two`;
    }
    this.#seconds = this.#midnight(date) + secondOfDay - ahead;
    return null;
  }

  #midnightDate = 0;
  #midnightSeconds = 0;

  #midnight(date: number): number {
    if (date !== this.#midnightDate) {
      this.#midnightDate = date;
      this.#midnightSeconds = dayNumber(date as UtcDay) * DAY_SECONDS;
    }
    return this.#midnightSeconds;
  }
}

function notOf(pattern: string, text: string): string {
  return `has "${text}", which is not of the form ${pattern}`;
}
