/**
 * Predefined products and calendars, usable by name, in the format of the file itself. Fields beside `extends` override
 * the template. Hours, ticks, point values and expiries are from the exchanges' specifications as collected for this
 * project. Not from there, and not verified at an exchange: all of ether, the months of silver and copper, the rolls
 * except of built-in products, and the holidays and regular hours of ICE and Eurex, whose early closes are missing.
 */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { CALENDAR_NAMES, calendarNamed } from '@tapeloom/core/calendar/calendars';
import { entryOf } from './entry.ts';
import { type CalendarTemplates, readCalendar } from './read-calendar.ts';
import { Reading } from './reading.ts';

const CHICAGO = 'America/Chicago';
const BERLIN = 'Europe/Berlin';
const QUARTERS = 'HMUZ';
const EVERY_MONTH = 'FGHJKMNQUVXZ';
/** Contract names in files of several vendors: ESH6, ESH26, ESH2026, ES 03-26, ES_H26. */
const VENDOR_NAMES = [
  '{root}{M}{Y}',
  '{root}{M}{YY}',
  '{root}{M}{YYYY}',
  '{root} {MM}-{YY}',
  '{root}_{M}{YY}',
];

const CALENDARS: Readonly<Record<string, unknown>> = {
  // Bitcoin and ether of CME, while they pause with the other markets there; the holidays are those of currencies.
  'cme-crypto': {
    extends: 'cme-fx',
    zone: CHICAGO,
    hours: [
      {
        weekdays: 'mon-fri',
        open: '17:00',
        close: '16:00',
        day: { open: '08:30', close: '15:00' },
      },
    ],
  },
  'ice-brent': {
    zone: 'Europe/London',
    hours: [
      {
        weekdays: 'mon',
        open: '23:00',
        close: '23:00',
        day: { open: '08:00', close: '19:30' },
      },
      {
        weekdays: 'tue-fri',
        open: '01:00',
        close: '23:00',
        day: { open: '08:00', close: '19:30' },
      },
    ],
    holidays: [{ days: ['01-01', 'easter-friday', '12-25'], close: 'closed' }],
  },
  eurex: {
    zone: BERLIN,
    hours: [
      {
        weekdays: 'mon-fri',
        open: '01:10',
        close: '22:00',
        day: { open: '09:00', close: '17:30' },
      },
    ],
    holidays: [
      {
        days: [
          '01-01',
          'easter-friday',
          'easter-monday',
          '05-01',
          '12-24',
          '12-25',
          '12-26',
          '12-31',
        ],
        close: 'closed',
      },
    ],
  },
};

export const CALENDAR_TEMPLATES: CalendarTemplates = {
  names: [...CALENDAR_NAMES, ...Object.keys(CALENDARS)],
  get: (name) => {
    if (CALENDAR_NAMES.some((it) => it === name)) return calendarNamed(name);
    return Object.hasOwn(CALENDARS, name) ? made(name) : null;
  },
};

const madeCalendars = new Map<string, Calendar>();

function made(name: string): Calendar {
  let calendar = madeCalendars.get(name);
  if (calendar === undefined) {
    const reading = new Reading(entryOf(CALENDARS[name]), name);
    calendar = readCalendar(reading, name, CALENDAR_TEMPLATES);
    reading.settle();
    madeCalendars.set(name, calendar);
  }
  return calendar;
}

const US_FUTURE = { currency: 'USD', lot: '1', businessDays: 'us', names: VENDOR_NAMES };

const GROUPS = {
  'cme-equity': {
    ...US_FUTURE,
    exchange: 'CME',
    calendar: 'cme-equity',
    months: QUARTERS,
    expiry: { rule: 'third-friday', at: '08:30', zone: CHICAGO },
    roll: { rule: 'monday-of-expiry-week' },
  },
  'cme-rates': {
    ...US_FUTURE,
    exchange: 'CBOT',
    calendar: 'cme-rates',
    months: QUARTERS,
    expiry: { rule: 'from-month-end', businessDays: 7, at: '12:01', zone: CHICAGO },
    roll: { rule: 'before-expiry-month', businessDays: 3 },
  },
  'cme-energy': {
    ...US_FUTURE,
    exchange: 'NYMEX',
    calendar: 'cme-energy',
    months: EVERY_MONTH,
    expiry: { rule: 'before-25th-of-prior-month', at: '13:30', zone: CHICAGO },
    roll: { rule: 'before-expiry', businessDays: 3 },
  },
  'cme-metals': {
    ...US_FUTURE,
    exchange: 'COMEX',
    calendar: 'cme-metals',
    months: 'GJMQVZ',
    expiry: { rule: 'from-month-end', businessDays: 2, at: '12:30', zone: CHICAGO },
    roll: { rule: 'before-expiry-month', businessDays: 3 },
  },
  'cme-fx': {
    ...US_FUTURE,
    exchange: 'CME',
    calendar: 'cme-fx',
    months: QUARTERS,
    expiry: { rule: 'before-third-wednesday', at: '09:16', zone: CHICAGO },
    roll: { rule: 'before-expiry', businessDays: 2 },
  },
  'cme-crypto': {
    ...US_FUTURE,
    exchange: 'CME',
    calendar: 'cme-crypto',
    months: EVERY_MONTH,
    expiry: { rule: 'last-friday', at: '16:00', zone: 'Europe/London' },
    roll: { rule: 'before-expiry', businessDays: 2 },
  },
  'ice-brent': {
    exchange: 'ICE',
    currency: 'USD',
    lot: '1',
    calendar: 'ice-brent',
    months: EVERY_MONTH,
    businessDays: 'calendar',
    expiry: { rule: 'end-of-second-prior-month', at: '19:30', zone: 'Europe/London' },
    roll: { rule: 'before-expiry', businessDays: 3 },
    names: [...VENDOR_NAMES, '{root} FM{M}00{YY}!'],
  },
  'eurex-index': {
    exchange: 'EUREX',
    currency: 'EUR',
    lot: '1',
    calendar: 'eurex',
    months: QUARTERS,
    businessDays: 'calendar',
    expiry: { rule: 'third-friday', at: '12:00', zone: BERLIN },
    roll: { rule: 'monday-of-expiry-week' },
    names: VENDOR_NAMES,
  },
  'eurex-bonds': {
    exchange: 'EUREX',
    currency: 'EUR',
    lot: '1',
    calendar: 'eurex',
    months: QUARTERS,
    businessDays: 'calendar',
    expiry: {
      rule: 'before-day-of-month',
      dayOfMonth: 10,
      businessDays: 2,
      at: '12:30',
      zone: BERLIN,
    },
    roll: { rule: 'before-expiry', businessDays: 2 },
    names: VENDOR_NAMES,
  },
  // Linear futures on coins, as on Binance: the lot is the smallest size, and a point is worth one unit of the quote
  // currency.
  'crypto-perpetual': {
    exchange: 'BINANCE',
    currency: 'USDT',
    calendar: 'round-the-clock',
    pointValue: '1',
    expiry: 'never',
    symbol: '{root}',
  },
  'crypto-quarterly': {
    exchange: 'BINANCE',
    currency: 'USDT',
    calendar: 'round-the-clock',
    pointValue: '1',
    months: QUARTERS,
    businessDays: 'calendar',
    expiry: { rule: 'last-friday', at: '08:00', zone: 'UTC' },
    roll: { rule: 'before-expiry', businessDays: 2 },
    symbol: '{root}_{YY}{MM}{DD}',
  },
} as const;

type Group = keyof typeof GROUPS;
type ProductTerms = readonly [
  group: Group,
  name: string,
  tick: string,
  pointValue: string,
  others?: Readonly<Record<string, unknown>>,
];

const LAST_OF_MONTH = { rule: 'from-month-end', businessDays: 0, at: '12:01', zone: CHICAGO };
const PRODUCTS: Readonly<Record<string, ProductTerms>> = {
  ES: ['cme-equity', 'E-mini S&P 500', '0.25', '50'],
  MES: ['cme-equity', 'Micro E-mini S&P 500', '0.25', '5'],
  NQ: ['cme-equity', 'E-mini Nasdaq-100', '0.25', '20'],
  MNQ: ['cme-equity', 'Micro E-mini Nasdaq-100', '0.25', '2'],
  YM: ['cme-equity', 'E-mini Dow', '1', '5', { exchange: 'CBOT' }],
  RTY: ['cme-equity', 'E-mini Russell 2000', '0.1', '50'],
  CL: ['cme-energy', 'Crude Oil WTI', '0.01', '1000'],
  MCL: ['cme-energy', 'Micro Crude Oil WTI', '0.01', '100'],
  NG: [
    'cme-energy',
    'Natural Gas',
    '0.001',
    '10000',
    { expiry: { rule: 'before-month', businessDays: 3, at: '13:30', zone: CHICAGO } },
  ],
  GC: ['cme-metals', 'Gold', '0.1', '100'],
  SI: ['cme-metals', 'Silver', '0.005', '5000', { months: 'HKNUZ' }],
  HG: ['cme-metals', 'Copper', '0.0005', '25000', { months: 'HKNUZ' }],
  ZN: ['cme-rates', '10-Year T-Note', '0.015625', '1000'],
  ZB: ['cme-rates', 'T-Bond', '0.03125', '1000'],
  ZF: ['cme-rates', '5-Year T-Note', '0.0078125', '1000', { expiry: LAST_OF_MONTH }],
  ZT: ['cme-rates', '2-Year T-Note', '0.00390625', '2000', { expiry: LAST_OF_MONTH }],
  '6E': ['cme-fx', 'Euro FX', '0.00005', '125000'],
  '6B': ['cme-fx', 'British Pound', '0.0001', '62500'],
  '6J': ['cme-fx', 'Japanese Yen', '0.0000005', '12500000'],
  BTC: ['cme-crypto', 'Bitcoin', '5', '5'],
  ETH: ['cme-crypto', 'Ether', '0.5', '50'],
  BRN: ['ice-brent', 'Brent Crude', '0.01', '1000'],
  FDAX: [
    'eurex-index',
    'DAX',
    '1',
    '25',
    { expiry: { rule: 'third-friday', at: '13:00', zone: BERLIN } },
  ],
  FESX: ['eurex-index', 'EURO STOXX 50', '1', '10'],
  FGBL: ['eurex-bonds', 'Euro-Bund', '0.01', '1000'],
};

export const PRODUCT_TEMPLATE_NAMES: readonly string[] = [
  ...Object.keys(GROUPS),
  ...Object.keys(PRODUCTS),
];

/** The fields of this product template; null for an unknown name. */
export function productTemplate(name: string): Readonly<Record<string, unknown>> | null {
  if (Object.hasOwn(GROUPS, name)) return GROUPS[name as Group];
  if (!Object.hasOwn(PRODUCTS, name)) return null;
  const [group, title, tick, pointValue, others = {}] = PRODUCTS[name]!;
  return { ...GROUPS[group], name: title, tick, pointValue, ...others };
}
