/**
 * The built-in calendars, by name. Contracts refer to calendars by name, so a name must never change. Operators may
 * write other calendars in the same form.
 */

// Sources: CME's contract specifications ("Sunday–Friday 5:00 p.m. – 4:00 p.m. CT with a 60-minute break each day" for
// all five groups). Regular hours are those of the former trading floor, which settlements still follow; for equity
// those of the stock market. Hours of equity, energy and metals are right back to 2010, by CME's announcements of
// November 2012 (equity closes at 16:15 from trade date 2012-11-19) and September 2015 (16:00 from 2015-09-21), as
// brokers published them. Equity's 15-minute halt at 15:15, until June 2021, is a pause inside the day. Rates and FX
// have today's hours for the past, too; holidays before 2022 are approximate (`cme-holidays.ts`).

import type { UtcDay } from '../numbers.ts';
import type { Calendar, SessionHours, WeeklyHours } from './calendar.ts';
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

/** 17:00 to 16:00. The hour in between is the daily maintenance break. */
const GLOBEX: SessionHours = { zone: CHICAGO, openDayOffset: -1, open: '17:00', close: '16:00' };
/** Until Friday, 18 September 2015, equity, energy and metals closed at 16:15. */
const GLOBEX_TO_2015: SessionHours = { ...GLOBEX, close: '16:15' };
const FIRST_OF_1600 = 2015_09_21 as UtcDay;
/**
 * Until Friday, 16 November 2012, the trading day of equity ended at 15:15 and the next one began at 15:30, with a
 * pause at 16:30. Monday's trading day began on Sunday at 17:00.
 */
const FIRST_OF_1615 = 2012_11_19 as UtcDay;
const STOCKS: SessionHours = sameDay(CHICAGO, '08:30', '15:00');

const CALENDARS = {
  'cme-equity': {
    hours: [
      { from: FIRST_OF_1600, weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth: STOCKS },
      { from: FIRST_OF_1615, weekdays: MONDAY_TO_FRIDAY, full: GLOBEX_TO_2015, rth: STOCKS },
      { weekdays: [1], full: { ...GLOBEX, close: '15:15' }, rth: STOCKS },
      {
        weekdays: [2, 3, 4, 5],
        full: { ...GLOBEX, open: '15:30', close: '15:15' },
        rth: STOCKS,
      },
    ],
    special: CME_EQUITY_SPECIAL,
  },
  'cme-energy': {
    hours: sinceBefore2015(sameDay(NEW_YORK, '09:00', '14:30')),
    special: CME_ENERGY_AND_METALS_SPECIAL,
  },
  'cme-metals': {
    hours: sinceBefore2015(sameDay(NEW_YORK, '08:20', '13:30')),
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
  // A market that never closes has no regular hours. These are the stock market's hours in New York's summer, fixed in
  // UTC so that clock changes do not move them.
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

/** The built-in calendar of this name. Throws a RangeError that lists the known names. */
export function calendarNamed(name: string): Calendar {
  if (!Object.hasOwn(CALENDARS, name)) {
    throw new RangeError(`no calendar is named ${name}; known are ${CALENDAR_NAMES.join(', ')}`);
  }
  return { name, ...CALENDARS[name as CalendarName] };
}

/** The hours of a group that closed at 16:15 until 2015. */
function sinceBefore2015(rth: SessionHours): readonly WeeklyHours[] {
  return [
    { from: FIRST_OF_1600, weekdays: MONDAY_TO_FRIDAY, full: GLOBEX, rth },
    { weekdays: MONDAY_TO_FRIDAY, full: GLOBEX_TO_2015, rth },
  ];
}

function sameDay(zone: string, open: LocalTime, close: LocalTime): SessionHours {
  return { zone, openDayOffset: 0, open, close };
}
