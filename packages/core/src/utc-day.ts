/**
 * UTC days and instants. A day is the number YYYYMMDD, readable in a cursor. An instant is `EpochNs` (bigint, at
 * interfaces) or a pair (day, nanoseconds since its midnight) of exact doubles (inside). Only valid calendar days
 * exist: every constructor rejects others.
 */

import type { EpochNs, NsOfDay, UtcDay } from './numbers.ts';
import { DAY_NS_BIG, DAY_SECONDS, SECOND_NS } from './units.ts';

/** Days from 1 March of the year 0 to 1970-01-01. */
const MARCH_OF_YEAR_0 = 719_468;
/** Days of 400 years. */
const ERA_DAYS = 146_097;
/** From 1970-01-01 to 9999-12-31: days that eight digits and `Date` can both represent. */
const DAY_NUMBER_MAX = 2_932_896;

/** The day with this YYYYMMDD number; throws a RangeError for a day that does not exist. */
export function utcDay(yyyymmdd: number): UtcDay {
  if (!isUtcDay(yyyymmdd)) throw new RangeError(`not a UTC day (YYYYMMDD): ${yyyymmdd}`);
  return yyyymmdd as UtcDay;
}

export function isUtcDay(yyyymmdd: number): yyyymmdd is UtcDay {
  if (!Number.isInteger(yyyymmdd) || yyyymmdd < 19_700_101 || yyyymmdd > 99_991_231) return false;
  const year = Math.trunc(yyyymmdd / 10_000);
  const month = Math.trunc(yyyymmdd / 100) % 100;
  const date = new Date(Date.UTC(year, month - 1, yyyymmdd % 100));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && month >= 1;
}

/**
 * Days since 1970-01-01, for day arithmetic. Years are counted from March, so that the leap day is the last of its year
 * and 153 days make five months. Plain arithmetic, since it runs for every object.
 */
export function dayNumber(day: UtcDay): number {
  const month = Math.trunc(day / 100) % 100;
  const marchMonth = (month + 9) % 12;
  const year = Math.trunc(day / 10_000) - (month < 3 ? 1 : 0);
  const leapDays = Math.trunc(year / 4) - Math.trunc(year / 100) + Math.trunc(year / 400);
  const dayOfYear = Math.trunc((153 * marchMonth + 2) / 5) + (day % 100) - 1;
  return year * 365 + leapDays + dayOfYear - MARCH_OF_YEAR_0;
}

/** The inverse, in the eras of 400 years after which the calendar repeats. */
export function dayFromNumber(number: number): UtcDay {
  if (!Number.isInteger(number) || number < 0 || number > DAY_NUMBER_MAX) {
    throw new RangeError(`not a day number: ${number}`);
  }
  const sinceMarch = number + MARCH_OF_YEAR_0;
  const era = Math.trunc(sinceMarch / ERA_DAYS);
  const dayOfEra = sinceMarch - era * ERA_DAYS;
  // Without its leap days every year has 365 days.
  const leapDays =
    Math.trunc(dayOfEra / 1_460) - Math.trunc(dayOfEra / 36_524) + Math.trunc(dayOfEra / 146_096);
  const yearOfEra = Math.trunc((dayOfEra - leapDays) / 365);
  const yearDays = yearOfEra * 365 + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100);
  const dayOfYear = dayOfEra - yearDays;
  const marchMonth = Math.trunc((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = era * 400 + yearOfEra + (month < 3 ? 1 : 0);
  const day = dayOfYear - Math.trunc((153 * marchMonth + 2) / 5) + 1;
  return (year * 10_000 + month * 100 + day) as UtcDay;
}

export function addDays(day: UtcDay, count: number): UtcDay {
  return dayFromNumber(dayNumber(day) + count);
}

/** Whole days from `a` to `b`; negative if `b` is earlier. */
export function daysBetween(a: UtcDay, b: UtcDay): number {
  return dayNumber(b) - dayNumber(a);
}

/** 1 Monday … 7 Sunday, as in ISO 8601. */
export function isoWeekday(day: UtcDay): number {
  return ((dayNumber(day) + 3) % 7) + 1;
}

export function dayOf(instant: EpochNs): UtcDay {
  return dayFromNumber(Number(sinceEpoch(instant) / DAY_NS_BIG));
}

export function nsOfDay(instant: EpochNs): NsOfDay {
  return Number(sinceEpoch(instant) % DAY_NS_BIG) as NsOfDay;
}

/** The instant `ns` nanoseconds after the midnight of `day`; `ns` may reach beyond the day. */
export function epochNs(day: UtcDay, ns: number): EpochNs {
  return (BigInt(dayNumber(day)) * DAY_NS_BIG + BigInt(ns)) as EpochNs;
}

/** The day of the last call, which is nearly always the next one too. */
let textDay = 0;
let textDaySeconds = 0;

/** The same instant as text, the form in all our JSON documents. */
export function epochNsText(day: UtcDay, ns: number): string {
  if (day !== textDay) {
    textDay = day;
    textDaySeconds = dayNumber(day) * DAY_SECONDS;
  }
  const wholeSeconds = Math.floor(ns / SECOND_NS);
  const seconds = textDaySeconds + wholeSeconds;
  // Whole seconds and the nanoseconds after them are exact doubles: their digits need no bigint.
  if (ns < 0 || seconds <= 0) return epochNs(day, ns).toString();
  const restNs = ns - wholeSeconds * SECOND_NS;
  const rest = restNs === 0 ? '000000000' : String(SECOND_NS + restNs).slice(1);
  // `join` makes a flat string. A concatenated one would halve the speed of JSON.stringify for the whole document.
  return [seconds, rest].join('');
}

/** Division of bigints rounds towards zero, so an instant before 1970 would land on the wrong day. */
function sinceEpoch(instant: EpochNs): bigint {
  if (instant < 0n) throw new RangeError(`not an instant since 1970: ${instant}`);
  return instant;
}

/** The earlier of two days, or of two instants. */
export function earlier<Time extends number | bigint>(one: Time, other: Time): Time {
  return one < other ? one : other;
}

export function later<Time extends number | bigint>(one: Time, other: Time): Time {
  return one > other ? one : other;
}
