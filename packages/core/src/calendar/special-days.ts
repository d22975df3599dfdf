/** The names of days with special hours. A date may have several names. */

import type { UtcDay } from '../numbers.ts';
import { addDays } from '../utc-day.ts';
import { easterSunday, US_HOLIDAYS, type UsHoliday, usHolidayOn } from './us-holidays.ts';

/** Days around Easter by their own names, whatever the hours of United States markets. */
const EASTER_OFFSETS = { 'easter-friday': -2, 'easter-monday': 1 } as const;
type EasterDay = keyof typeof EASTER_OFFSETS;
/** The same date of every year, month first: `12-24`. */
type YearlyDate = `${number}-${number}`;

/** A day by name, a date of every year, or one date as YYYYMMDD. */
export type SpecialDay = UsHoliday | EasterDay | YearlyDate | number;

export const SPECIAL_DAY_NAMES: readonly (UsHoliday | EasterDay)[] = [
  ...US_HOLIDAYS,
  ...(Object.keys(EASTER_OFFSETS) as EasterDay[]),
];

export function specialNamesOf(date: UtcDay): readonly SpecialDay[] {
  const text = String(date);
  const names: SpecialDay[] = [date, `${text.slice(4, 6)}-${text.slice(6)}` as YearlyDate];
  const holiday = usHolidayOn(date);
  if (holiday !== null) names.push(holiday);
  const easter = easterSunday(Math.trunc(date / 10_000));
  for (const [name, offset] of Object.entries(EASTER_OFFSETS)) {
    if (addDays(easter, offset) === date) names.push(name as EasterDay);
  }
  return names;
}
