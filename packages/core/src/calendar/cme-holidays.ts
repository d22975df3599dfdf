/**
 * Special days of the CME Globex product groups, in Central time. Only closing times are needed: a trading day always
 * opens at 17:00 of the evening before. A holiday from Monday to Thursday halts at its early close and trading resumes
 * at 17:00 for the next trading date; a holiday on a Friday ends the week.
 */

// Authority: CME Group's "Trading hours" page (cmegroup.com/trading-hours.html, choose the date) and its advisory for
// each holiday, published about two weeks ahead. These lines come from two public calendar libraries instead,
// pandas_market_calendars (whose users measured the last trades of 2022 to 2026) and QuantConnect Lean. They differ on
// some holidays of FX, energy and metals; the newer account is used here:
// - Equity and rates halt at 12:00 on every holiday, energy and metals at 13:30, FX not at all. On a Friday all of them
//   close at 12:00.
// - On a Good Friday with the employment report, equity trades to 08:15, rates and FX to 10:15.
// - From 2024 on, energy, metals and FX close later than before on half days.
// - On the eve of Independence Day equity closes early. For the others the libraries differ, and normal hours are
//   assumed.
//
// Years before 2022 use the same lines and are approximate. Add a correction or a new advisory as a line at the top of
// a list: the first line that names a date applies.

import type { SpecialHours } from './calendar.ts';

/** Holidays on which Globex opens for a while. New Year, Christmas and Good Friday have lines of their own. */
const OPEN_HOLIDAYS = [
  'martin-luther-king',
  'presidents',
  'memorial',
  'juneteenth',
  'independence',
  'labor',
  'thanksgiving',
] as const;

/** The national day of mourning for President Carter. */
const MOURNING_2025 = 2025_01_09;

const CLOSED_EVERYWHERE: SpecialHours = {
  days: ['new-year', 'good-friday', 'christmas'],
  close: 'closed',
};

export const CME_EQUITY_SPECIAL: readonly SpecialHours[] = [
  { days: [MOURNING_2025], close: '08:30', rth: 'none' },
  CLOSED_EVERYWHERE,
  { days: ['good-friday-jobs-report'], close: '08:15', rth: 'none' },
  { days: OPEN_HOLIDAYS, close: '12:00', rth: 'none' },
  // The stock market closes at noon on half days, the futures a quarter of an hour later.
  {
    days: ['independence-eve', 'thanksgiving-friday', 'christmas-eve'],
    close: '12:15',
    rth: '12:00',
  },
];

export const CME_RATES_SPECIAL: readonly SpecialHours[] = [
  { days: [MOURNING_2025], close: '12:15' },
  CLOSED_EVERYWHERE,
  { days: ['good-friday-jobs-report'], close: '10:15' },
  { days: OPEN_HOLIDAYS, close: '12:00', rth: 'none' },
  { days: ['thanksgiving-friday', 'christmas-eve'], close: '12:15' },
];

export const CME_FX_SPECIAL: readonly SpecialHours[] = [
  CLOSED_EVERYWHERE,
  { days: ['good-friday-jobs-report'], close: '10:15' },
  { days: OPEN_HOLIDAYS, onFriday: true, close: '12:00', rth: 'none' },
  { days: OPEN_HOLIDAYS, close: 'normal', rth: 'none' },
  { days: ['thanksgiving-friday', 'christmas-eve'], years: [1970, 2023], close: '12:15' },
  { days: ['thanksgiving-friday'], close: '13:45' },
  { days: ['christmas-eve'], close: '12:45' },
];

export const CME_ENERGY_AND_METALS_SPECIAL: readonly SpecialHours[] = [
  CLOSED_EVERYWHERE,
  { days: ['good-friday-jobs-report'], close: 'closed' },
  { days: OPEN_HOLIDAYS, onFriday: true, close: '12:00', rth: 'none' },
  { days: OPEN_HOLIDAYS, close: '13:30', rth: 'none' },
  { days: ['thanksgiving-friday'], years: [1970, 2023], close: '12:45' },
  { days: ['thanksgiving-friday'], close: '13:45' },
  { days: ['christmas-eve'], close: '12:45' },
];
