/**
 * The built-in calendars, by name. A contract names its calendar, so a name once used stays. Other calendars are
 * data of the same form that an operator writes.
 *
 * Sources of the hours: the contract specifications of CME Group ("Sunday–Friday 5:00 p.m. – 4:00 p.m.
 * CT with a 60-minute break each day" for all five groups), and for regular hours the times of the
 * former trading floor, which settlements still follow; for equity those of the stock market.
 */

import type { Calendar, SessionHours } from './calendar.ts';
import {
  CME_ENERGY_AND_METALS_SPECIAL,
  CME_EQUITY_SPECIAL,
  CME_FX_SPECIAL,
  CME_RATES_SPECIAL,
} from './cme-holidays.ts';
import type { LocalTime } from './zoned-instant.ts';

const CHICAGO = 'America/Chicago';
const NEW_YORK = 'America/New_York';

const MONDAY_TO_FRIDAY = [1, 2, 3, 4, 5];
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

/** 17:00 to 16:00: the hour in between is the daily maintenance break. */
const GLOBEX: SessionHours = { zone: CHICAGO, openDayOffset: -1, open: '17:00', close: '16:00' };

const CALENDARS = {
  'cme-equity': {
    hours: [{ weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth: sameDay(CHICAGO, '08:30', '15:00') }],
    special: CME_EQUITY_SPECIAL,
  },
  'cme-energy': {
    hours: [{ weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth: sameDay(NEW_YORK, '09:00', '14:30') }],
    special: CME_ENERGY_AND_METALS_SPECIAL,
  },
  'cme-metals': {
    hours: [{ weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth: sameDay(NEW_YORK, '08:20', '13:30') }],
    special: CME_ENERGY_AND_METALS_SPECIAL,
  },
  'cme-rates': {
    hours: [{ weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth: sameDay(CHICAGO, '07:20', '14:00') }],
    special: CME_RATES_SPECIAL,
  },
  'cme-fx': {
    hours: [{ weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth: sameDay(CHICAGO, '07:20', '14:00') }],
    special: CME_FX_SPECIAL,
  },
  // A market that never closes has no regular hours of its own. These are the stock market's hours in
  // New York's summer, held in UTC on every day, so that they move with no clock change.
  'round-the-clock': {
    hours: [
      {
        weekdays: EVERY_DAY,
        full: sameDay('UTC', '00:00', '24:00'),
        rth: sameDay('UTC', '13:30', '20:00'),
      },
    ],
    special: [],
  },
} as const satisfies Record<string, Omit<Calendar, 'name'>>;

export type CalendarName = keyof typeof CALENDARS;
export const CALENDAR_NAMES = Object.keys(CALENDARS) as readonly CalendarName[];

/** The built-in calendar with this name; throws a RangeError that lists the known ones. */
export function calendarNamed(name: string): Calendar {
  if (!Object.hasOwn(CALENDARS, name)) {
    throw new RangeError(`no calendar is named ${name}; known are ${CALENDAR_NAMES.join(', ')}`);
  }
  return { name, ...CALENDARS[name as CalendarName] };
}

function sameDay(zone: string, open: LocalTime, close: LocalTime): SessionHours {
  return { zone, openDayOffset: 0, open, close };
}
