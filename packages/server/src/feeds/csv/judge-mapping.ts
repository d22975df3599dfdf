/**
 * Validates a mapping written by a person: all faults are reported at once, each with the field, its value and the
 * accepted values. A valid mapping can be used to decode; missing columns are found with the file.
 */

import { isUtcDay } from '@tapeloom/core/utc-day';
import { type CsvMapping, DELIMITERS, TIME_UNITS } from '../feed-mapping.ts';
import { printedText } from '../printed-text.ts';
import { isZone } from '../wall-clock.ts';
import { TimePattern } from './time-pattern.ts';

const DECIMALS_MAX = 18;
const COLUMN_NUMBER_MAX = 1_000;

type Judged =
  | { readonly mapping: CsvMapping }
  | { readonly mapping: null; readonly faults: readonly string[] };
type Fields = Readonly<Record<string, unknown>>;
/** The accepted values, for after "must be"; null if the value is valid. */
type Check = (value: unknown) => string | null;

const column: Check = (value) =>
  (typeof value === 'string' && value !== '') ||
  (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= COLUMN_NUMBER_MAX)
    ? null
    : `the name of a column, or its number from 1 to ${COLUMN_NUMBER_MAX}`;
const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
      ? null
      : `one of ${values.map((each) => JSON.stringify(each)).join(', ')}`;
const words: Check = (value) =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')
    ? null
    : 'a list of words';
const zone: Check = (value) =>
  typeof value === 'string' && isZone(value) ? null : 'a zone such as "UTC" or "America/Chicago"';
const decimals: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= DECIMALS_MAX
    ? null
    : `a whole number from 0 to ${DECIMALS_MAX}`;
const day: Check = (value) => (isUtcDay(value as number) ? null : 'a date such as 20261116');
const text: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a text');
const boolean = oneOf([true, false]);

const TIMES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  epoch: { column, unit: oneOf(TIME_UNITS) },
  midnight: {
    column,
    unit: oneOf(TIME_UNITS.filter((unit) => unit !== 'by-digits')),
    date: day,
    zone,
  },
  text: {
    column,
    pattern: pattern(true, true),
    zone: (value) => (value === null ? null : zone(value)),
  },
  'date-and-time': {
    dateColumn: column,
    datePattern: pattern(true, false),
    timeColumn: column,
    timePattern: pattern(false, true),
    zone,
  },
};
const SIDES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  words: { column, buy: words, sell: words, unknown: words },
  volumes: { buyColumn: column, sellColumn: column },
  quotes: { bidColumn: column, askColumn: column },
  sign: {},
  none: {},
};
const NUMBER = { column, decimals };
const DROP = { column, words, when: oneOf(['is', 'is-not']), as: text };

export function judgeMapping(value: unknown): Judged {
  const faults: string[] = [];
  const whole = fieldsOf('the mapping', value, faults);
  if (whole === null) return { mapping: null, faults };
  const known = ['time', 'price', 'size', 'side', 'symbol', 'drop'];
  const flat = { delimiter: oneOf(DELIMITERS), hasHeader: boolean, decimalSign: oneOf(['.', ',']) };
  judge('', whole, flat, faults, known);
  judgeKind('time', whole.time, TIMES, faults);
  judgeKind('side', whole.side, SIDES, faults);
  for (const name of ['price', 'size']) judgePart(name, whole[name], NUMBER, faults);
  if (whole.symbol !== null) {
    judgePart('symbol', whole.symbol, { column, isFuturesOnly: boolean }, faults);
  }
  if (Array.isArray(whole.drop)) {
    for (const [place, rule] of whole.drop.entries())
      judgePart(`drop[${place}]`, rule, DROP, faults);
  } else faults.push(fault('drop', whole.drop, 'a list'));
  if (whole.decimalSign === ',' && whole.delimiter === ',') {
    faults.push('decimalSign: a comma cannot both separate columns and be the decimal sign.');
  }
  judgeWords(whole.side, faults);
  return faults.length === 0 ? { mapping: value as CsvMapping } : { mapping: null, faults };
}

/** A word may stand for one side only. */
function judgeWords(side: unknown, faults: string[]): void {
  const { buy, sell, unknown } = (side ?? {}) as Fields;
  if (![buy, sell, unknown].every(Array.isArray)) return;
  const all = [buy, sell, unknown].flat();
  const twice = all.find((word, place) => all.indexOf(word) !== place);
  if (twice !== undefined) faults.push(`side: the word ${JSON.stringify(twice)} is there twice.`);
}

function judgeKind(
  name: string,
  value: unknown,
  kinds: Readonly<Record<string, Readonly<Record<string, Check>>>>,
  faults: string[],
): void {
  const fields = fieldsOf(name, value, faults);
  if (fields === null) return;
  const checks = Object.hasOwn(kinds, String(fields.kind)) ? kinds[String(fields.kind)] : undefined;
  if (checks === undefined) {
    faults.push(fault(`${name}.kind`, fields.kind, oneOf(Object.keys(kinds))(null)!));
  } else judge(`${name}.`, fields, checks, faults, ['kind']);
}

function judgePart(
  name: string,
  value: unknown,
  checks: Readonly<Record<string, Check>>,
  faults: string[],
): void {
  const fields = fieldsOf(name, value, faults);
  if (fields !== null) judge(`${name}.`, fields, checks, faults, []);
}

function judge(
  prefix: string,
  fields: Fields,
  checks: Readonly<Record<string, Check>>,
  faults: string[],
  others: readonly string[],
): void {
  for (const [name, check] of Object.entries(checks)) {
    const accepted = check(fields[name]);
    if (accepted !== null) faults.push(fault(prefix + name, fields[name], accepted));
  }
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(checks, name) || others.includes(name)) continue;
    const names = [...others, ...Object.keys(checks)].join(', ');
    faults.push(`${printedText(prefix + name)}: there is no such field; there are ${names}.`);
  }
}

function fieldsOf(name: string, value: unknown, faults: string[]): Fields | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  faults.push(fault(name, value, 'an object'));
  return null;
}

function fault(name: string, value: unknown, accepted: string): string {
  const read = value === undefined ? 'is missing' : `is ${printedText(JSON.stringify(value))}`;
  return `${name} ${read} and must be ${accepted}.`;
}

function pattern(needsDate: boolean, needsTime: boolean): Check {
  return (value) => {
    if (typeof value !== 'string') return 'a pattern such as "yyyy-MM-dd HH:mm:ss[.F]"';
    try {
      const { hasDate, hasTime } = new TimePattern(value);
      if (hasDate === needsDate && hasTime === needsTime) return null;
      return `a pattern of ${needsDate ? (needsTime ? 'date and time' : 'a date alone') : 'a time alone'}`;
    } catch (error) {
      return `a pattern that can be read: ${(error as Error).message}`;
    }
  };
}
