/** The format of products in an operator's file: the form of each field, before contracts are made. */

import type { ExpiryRule } from '@tapeloom/core/instrument/expiry';
import { MONTH_LETTERS, type Product } from '@tapeloom/core/instrument/product';
import type { RollRule } from '@tapeloom/core/instrument/rolls';
import type { EpochNs } from '@tapeloom/core/numbers';
import { didYouMean } from '../../config/nearest-name.ts';
import { PATTERN_PARTS, unknownPart } from './contract-pattern.ts';
import { entryOf } from './entry.ts';
import { readTime, readZone } from './read-calendar.ts';
import type { Fields, Reading } from './reading.ts';
import { PRODUCT_TEMPLATE_NAMES, productTemplate } from './templates.ts';

const MEMBERS_MAX = 16;
const WRITTEN_CONTRACTS_MAX = 10_000;
const NAMES_MAX = 16;
const NAME_CHARACTERS_MAX = 64;
const BUSINESS_DAYS_MAX = 60;
const CURRENCY = /^[A-Z]{3,5}$/;
const MONTH = /^(\d{4})-(\d{2})$/;

export interface ProductForm {
  readonly reading: Reading;
  /** Without an expiry rule its contracts are written one by one, or never expire. */
  readonly product: Omit<Product, 'expiry' | 'roll'>;
  readonly expiry: Product['expiry'] | 'never' | null;
  readonly roll: RollRule | null;
  readonly businessDays: 'us' | 'calendar';
  readonly symbol: string;
  readonly names: readonly string[];
  readonly contracts: MonthRange | readonly WrittenContract[] | null;
  /** For one perpetual; null: the default. */
  readonly venueSymbol: string | null;
  readonly isInverse: boolean;
  /** Of a composite: those of its one perpetual. */
  readonly members: readonly Reading[] | null;
}

export interface MonthRange {
  readonly reading: Reading;
  /** Months since the year 0. */
  readonly first: number;
  readonly last: number;
}

export interface WrittenContract {
  readonly reading: Reading;
  readonly symbol: string;
  readonly name: string | null;
  readonly expiresAt: EpochNs;
  readonly tickSizeNanos: number | null;
  readonly names: readonly string[];
  readonly venueSymbol: string | null;
  readonly members: readonly Reading[] | null;
}

const FIELDS = [
  'extends',
  'name',
  'exchange',
  'currency',
  'tick',
  'lot',
  'pointValue',
  'calendar',
  'months',
  'expiry',
  'roll',
  'businessDays',
  'symbol',
  'names',
  'contracts',
  'venueSymbol',
  'inverse',
];
const COMPOSITE_FIELDS = [...FIELDS, 'members'];
/** The size of a composite is in units of the coin. */
const POINT_VALUE = 1_000_000_000;

/** A tick or lot of a composite that is not written is 0: it follows from the members. */
export function readProduct(written: Reading, root: string, isComposite: boolean): ProductForm {
  const reading = withTemplate(written);
  const fields = reading.fields(isComposite ? COMPOSITE_FIELDS : FIELDS);
  const text = (name: string) => fields.required(name, '', (field) => field.text());
  const nanos = (name: string, example: string, otherwise: number) => {
    const read = (field: Reading) => field.nanos(example);
    if (isComposite) return fields.optional(name, read) ?? otherwise;
    return fields.required(name, 1, read);
  };
  const contracts =
    fields.optional('contracts', (field) => readContracts(field, isComposite)) ?? null;
  return {
    reading: written,
    product: {
      root,
      name: text('name'),
      exchange: text('exchange'),
      currency: fields.required('currency', 'USD', readCurrency),
      tickSizeNanos: nanos('tick', '"0.25"', 0),
      lotSizeNanos: nanos('lot', '"1" or "0.001"', 0),
      pointValueNanos: nanos('pointValue', '"50"', POINT_VALUE),
      calendar: fields.required('calendar', '', (field) => field.safeName()),
      months: fields.optional('months', readMonths) ?? '',
    },
    expiry: fields.optional('expiry', readExpiry) ?? null,
    roll: fields.optional('roll', readRoll) ?? null,
    businessDays:
      fields.optional('businessDays', (field) => field.oneOf(['us', 'calendar'])) ?? 'calendar',
    symbol: fields.optional('symbol', readPattern) ?? '{root}{M}{Y}',
    names: fields.optional('names', readPatterns) ?? [],
    contracts,
    venueSymbol: fields.optional('venueSymbol', readVenueSymbol) ?? null,
    isInverse: fields.optional('inverse', (field) => field.oneOf(['true', 'false'])) === 'true',
    members: fields.optional('members', readMembers) ?? null,
  };
}

function readMembers(reading: Reading): readonly Reading[] {
  return reading.list(MEMBERS_MAX);
}

function withTemplate(written: Reading): Reading {
  const name = written.isMap ? written.named().get('extends')?.text('a template') : undefined;
  if (name === undefined || name === '') return written;
  const template = productTemplate(name);
  if (template !== null) return written.over(entryOf(template, written.place));
  const near = didYouMean(name, PRODUCT_TEMPLATE_NAMES);
  const known = near || ` There are ${PRODUCT_TEMPLATE_NAMES.join(', ')}.`;
  written
    .named()
    .get('extends')!
    .fault(`is ${JSON.stringify(name)}, which is no template.${known}`);
  return written;
}

function readCurrency(reading: Reading): string {
  const text = reading.text('a currency as USD');
  if (text !== '' && !CURRENCY.test(text)) reading.refuse('a currency as USD or USDT');
  return text;
}

/** In calendar order. */
function readMonths(reading: Reading): string {
  const text = reading.text('letters of months as HMUZ');
  const letters = [...text];
  const isRight = letters.every((letter, index) => {
    const at = MONTH_LETTERS.indexOf(letter);
    return at > MONTH_LETTERS.indexOf(letters[index - 1] ?? ' ');
  });
  if (!isRight) reading.refuse(`letters of months in their order (${MONTH_LETTERS})`);
  return isRight ? text : '';
}

function readExpiry(reading: Reading): Product['expiry'] | 'never' {
  if (!reading.isMap) return reading.oneOf(['never']);
  const fields = reading.fields(['rule', 'businessDays', 'dayOfMonth', 'at', 'zone']);
  return {
    day: readExpiryRule(fields),
    time: fields.required('at', '00:00', readTime),
    zone: fields.required('zone', 'UTC', readZone),
  };
}

function readExpiryRule(fields: Fields): ExpiryRule {
  const kind = fields.required('rule', 'third-friday', (field) =>
    field.oneOf([
      'third-friday',
      'last-friday',
      'before-third-wednesday',
      'before-25th-of-prior-month',
      'from-month-end',
      'before-month',
      'before-day-of-month',
      'end-of-second-prior-month',
    ]),
  );
  switch (kind) {
    case 'from-month-end':
    case 'before-month':
      return { kind, businessDays: readBusinessDays(fields) };
    case 'before-day-of-month': {
      const dayOfMonth = fields.required('dayOfMonth', 1, (field) => field.whole(1, 28));
      return { kind, dayOfMonth, businessDays: readBusinessDays(fields) };
    }
    default:
      return { kind };
  }
}

function readRoll(reading: Reading): RollRule {
  const fields = reading.fields(['rule', 'businessDays']);
  const kind = fields.required('rule', 'before-expiry', (field) =>
    field.oneOf(['monday-of-expiry-week', 'before-expiry', 'before-expiry-month']),
  );
  if (kind === 'monday-of-expiry-week') return { kind };
  return { kind, businessDays: readBusinessDays(fields) };
}

function readBusinessDays(fields: Fields): number {
  return fields.required('businessDays', 0, (field) => field.whole(0, BUSINESS_DAYS_MAX));
}

function readPatterns(reading: Reading): string[] {
  return reading.texts(NAMES_MAX).map(readPattern);
}

function readPattern(reading: Reading): string {
  const pattern = readName(reading);
  const unknown = unknownPart(pattern);
  if (unknown === null) return pattern;
  reading.fault(`has ${unknown}, which is no part of a name; known are ${PATTERN_PARTS.join(' ')}`);
  return '';
}

/** A name in imported files may contain spaces and signs, because it never becomes a file name here. */
function readName(reading: Reading): string {
  const text = reading.text('a name');
  if (text.length > NAME_CHARACTERS_MAX) reading.refuse(`up to ${NAME_CHARACTERS_MAX} characters`);
  return text;
}

function readContracts(reading: Reading, isComposite: boolean): MonthRange | WrittenContract[] {
  if (reading.isList) {
    return reading.list(WRITTEN_CONTRACTS_MAX).map((line) => readWritten(line, isComposite));
  }
  const fields = reading.fields(['from', 'to']);
  const first = fields.required('from', 0, readMonth);
  const last = fields.required('to', first, readMonth);
  if (first > last) reading.fault('ends before it begins');
  return { reading, first, last };
}

function readMonth(reading: Reading): number {
  const text = reading.text('a month as 2026-03');
  const [, year, month] = MONTH.exec(text)?.map(Number) ?? [];
  const isMonth = year !== undefined && month! >= 1 && month! <= 12 && year >= 1975 && year < 2100;
  if (isMonth) return year * 12 + month! - 1;
  if (text !== '') reading.refuse('a month as 2026-03');
  return 2000 * 12;
}

function readWritten(reading: Reading, isComposite: boolean): WrittenContract {
  const known = ['symbol', 'name', 'expiry', 'tick', 'names', 'venueSymbol'];
  const fields = reading.fields(isComposite ? [...known, 'members'] : known);
  return {
    reading,
    symbol: fields.required('symbol', '', (field) => field.safeName()),
    name: fields.optional('name', (field) => field.text()) ?? null,
    expiresAt: fields.required('expiry', 1n as EpochNs, (field) => field.instant()),
    tickSizeNanos: fields.optional('tick', (field) => field.nanos('"0.25"')) ?? null,
    names: fields.optional('names', (field) => field.texts(NAMES_MAX).map(readName)) ?? [],
    venueSymbol: fields.optional('venueSymbol', readVenueSymbol) ?? null,
    members: fields.optional('members', readMembers) ?? null,
  };
}

function readVenueSymbol(reading: Reading): string {
  return reading.text("the venue's name of the contract");
}
