/**
 * Reference data of the known products: the terms that an exchange fixes for all contracts of a root. Sources: the
 * contract specifications in the rulebooks of CME (ES chapter 358, NQ 359, 6E 261, BTC 350), CBOT (ZN chapter 19),
 * NYMEX (CL chapter 200) and COMEX (GC chapter 113).
 */

import type { LocalTime } from '../calendar/zoned-instant.ts';
import type { ContractTerms } from './contract.ts';
import type { ExpiryRule } from './expiry.ts';
import type { RollRule } from './rolls.ts';

/** The letters of January to December in contract symbols. */
export const MONTH_LETTERS = 'FGHJKMNQUVXZ';
export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export interface Product extends ContractTerms {
  readonly calendar: string;
  /** Letters of the contract months that trade actively. */
  readonly months: string;
  readonly expiry: {
    readonly day: ExpiryRule;
    readonly time: LocalTime;
    readonly zone: string;
  };
  /** When a calendar alias leaves a contract. */
  readonly roll: RollRule;
}

const UNIT_NANOS = 1_000_000_000;
const CHICAGO = 'America/Chicago';
const QUARTERS = 'HMUZ';

/** Third Friday: the S&P 500 and the Nasdaq 100 settle on that morning's opening prices. */
const STOCK_INDEX = {
  exchange: 'CME',
  currency: 'USD',
  tickSizeNanos: UNIT_NANOS / 4,
  lotSizeNanos: UNIT_NANOS,
  calendar: 'cme-equity',
  months: QUARTERS,
  expiry: { day: { kind: 'third-friday' }, time: '08:30', zone: CHICAGO },
  roll: { kind: 'monday-of-expiry-week' },
} as const satisfies Partial<Product>;

export const PRODUCTS: readonly Product[] = [
  { ...STOCK_INDEX, root: 'ES', name: 'E-mini S&P 500', pointValueNanos: 50 * UNIT_NANOS },
  { ...STOCK_INDEX, root: 'NQ', name: 'E-mini Nasdaq-100', pointValueNanos: 20 * UNIT_NANOS },
  {
    root: 'CL',
    name: 'Crude Oil WTI',
    exchange: 'NYMEX',
    currency: 'USD',
    tickSizeNanos: UNIT_NANOS / 100,
    lotSizeNanos: UNIT_NANOS,
    pointValueNanos: 1_000 * UNIT_NANOS,
    calendar: 'cme-energy',
    months: MONTH_LETTERS,
    expiry: { day: { kind: 'before-25th-of-prior-month' }, time: '13:30', zone: CHICAGO },
    roll: { kind: 'before-expiry', businessDays: 3 },
  },
  {
    root: 'GC',
    name: 'Gold',
    exchange: 'COMEX',
    currency: 'USD',
    tickSizeNanos: UNIT_NANOS / 10,
    lotSizeNanos: UNIT_NANOS,
    pointValueNanos: 100 * UNIT_NANOS,
    calendar: 'cme-metals',
    months: 'GJMQVZ',
    expiry: { day: { kind: 'from-month-end', businessDays: 2 }, time: '12:30', zone: CHICAGO },
    roll: { kind: 'before-expiry-month', businessDays: 3 },
  },
  {
    root: 'ZN',
    name: '10-Year T-Note',
    exchange: 'CBOT',
    currency: 'USD',
    tickSizeNanos: UNIT_NANOS / 64,
    lotSizeNanos: UNIT_NANOS,
    pointValueNanos: 1_000 * UNIT_NANOS,
    calendar: 'cme-rates',
    months: QUARTERS,
    expiry: { day: { kind: 'from-month-end', businessDays: 7 }, time: '12:01', zone: CHICAGO },
    roll: { kind: 'before-expiry-month', businessDays: 3 },
  },
  {
    root: '6E',
    name: 'Euro FX',
    exchange: 'CME',
    currency: 'USD',
    tickSizeNanos: UNIT_NANOS / 20_000,
    lotSizeNanos: UNIT_NANOS,
    pointValueNanos: 125_000 * UNIT_NANOS,
    calendar: 'cme-fx',
    months: QUARTERS,
    expiry: { day: { kind: 'before-third-wednesday' }, time: '09:16', zone: CHICAGO },
    roll: { kind: 'before-expiry', businessDays: 2 },
  },
  {
    root: 'BTC',
    name: 'Bitcoin',
    exchange: 'CME',
    currency: 'USD',
    tickSizeNanos: 5 * UNIT_NANOS,
    lotSizeNanos: UNIT_NANOS,
    pointValueNanos: 5 * UNIT_NANOS,
    calendar: 'round-the-clock',
    months: MONTH_LETTERS,
    expiry: { day: { kind: 'last-friday' }, time: '16:00', zone: 'Europe/London' },
    roll: { kind: 'before-expiry', businessDays: 2 },
  },
];
