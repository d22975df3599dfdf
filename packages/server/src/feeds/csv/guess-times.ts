/** Recognises the form of a column's times by all sampled values; a time that fits two forms becomes a question. */

import type { TextTime, TimeMapping } from '../feed-mapping.ts';
import type { CsvHints, GuessNotes } from './csv-guess.ts';

const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
/** The form of kdb and BitMEX. */
const WITH_D = /^\d{4}-\d{2}-\d{2}D\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/;
const NAMED_UTC = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})? UTC$/;
const SECONDS = /^\d{10}\.\d+$/;
const HALVED = /^\d{1,2}:\d{2}:\d{2}(?:\.(\d+))?( ?)[AP]M$/i;
const UNITS: ReadonlyMap<number, string> = new Map([
  [10, 'seconds'],
  [13, 'milliseconds'],
  [16, 'microseconds'],
  [19, 'nanoseconds'],
]);
const CLOCK = /^\d{2}:\d{2}:\d{2}(?:\.(\d+))?$/;
const DATES: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-\d{2}-\d{2}$/, 'yyyy-MM-dd'],
  [/^\d{4}\/\d{1,2}\/\d{1,2}$/, 'yyyy/M/d'],
  [/^\d{4}\.\d{1,2}\.\d{1,2}$/, 'yyyy.M.d'],
  [/^\d{8}$/, 'yyyyMMdd'],
];
const DAY_OR_MONTH = /^(\d{1,2})([/.-])(\d{1,2})\2\d{4}$/;

export function guessTime(
  column: string,
  values: readonly string[],
  hints: CsvHints,
  notes: GuessNotes,
): TimeMapping | null {
  const [first = ''] = values;
  if (values.every((value) => /^\d+$/.test(value))) return numbers(column, values, notes);
  if (values.every((value) => ISO.test(value))) {
    const withOffset = values.filter((value) => ISO.exec(value)![1] !== undefined).length;
    if (withOffset === values.length) {
      notes.because(`"${column}" has ISO times with their offset, such as ${first}.`);
      return { kind: 'text', column, pattern: 'iso', zone: null };
    }
    if (!hasEvenFractions(values.map((value) => /\.(\d+)/.exec(value)?.[1]))) {
      askFraction(column, notes);
    }
    return zoned({ kind: 'text', column, pattern: 'iso', zone: '' }, hints, notes);
  }
  if (values.every((value) => SECONDS.test(value) || /^\d{10}$/.test(value))) {
    notes.because(`"${column}" has numbers such as ${first}: seconds since 1970.`);
    return { kind: 'epoch', column, unit: 's' };
  }
  if (values.every((value) => NAMED_UTC.test(value))) {
    notes.because(`"${column}" has times of UTC, such as ${first}.`);
    return { kind: 'text', column, pattern: "yyyy-MM-dd HH:mm:ss[.F]' UTC'", zone: 'UTC' };
  }
  if (values.every((value) => WITH_D.test(value))) {
    const pattern = 'yyyy-MM-ddDHH:mm:ss[.F]';
    return zoned({ kind: 'text', column, pattern, zone: '' }, hints, notes);
  }
  const parts = values.map((value) => {
    const space = value.indexOf(' ');
    return space === -1 ? [value] : [value.slice(0, space), value.slice(space + 1)];
  });
  if (parts.every((part) => part.length === 2)) {
    const date = guessDate(
      column,
      parts.map(([text]) => text!),
      hints,
      notes,
    );
    const time = guessClock(
      column,
      parts.map(([, text]) => text!),
      notes,
    );
    if (date === null || time === null) return null;
    return zoned({ kind: 'text', column, pattern: `${date} ${time}`, zone: '' }, hints, notes);
  }
  notes.ask(
    'time',
    `"${column}" has times of an unknown form, such as "${first}": give a pattern.`,
  );
  return null;
}

export function guessDateAndTime(
  [dateColumn, timeColumn]: readonly [string, string],
  [dates, times]: readonly [readonly string[], readonly string[]],
  hints: CsvHints,
  notes: GuessNotes,
): TimeMapping | null {
  const datePattern = guessDate(dateColumn, dates, hints, notes);
  const timePattern = guessClock(timeColumn, times, notes);
  const zone = zoneOf(timeColumn, hints, notes);
  if (datePattern === null || timePattern === null) return null;
  return { kind: 'date-and-time', dateColumn, datePattern, timeColumn, timePattern, zone };
}

function numbers(column: string, values: readonly string[], notes: GuessNotes): TimeMapping | null {
  const digits = new Set(values.map(({ length }) => length));
  const [count] = digits;
  const unit = UNITS.get(count ?? 0);
  if (digits.size !== 1 || unit === undefined) {
    notes.ask(
      'time',
      `"${column}" has numbers such as ${values[0]}, whose unit is unclear: say which.`,
    );
    return null;
  }
  notes.because(`"${column}" has numbers of ${count} digits: ${unit} since 1970.`);
  return { kind: 'epoch', column, unit: 'by-digits' };
}

function guessDate(
  column: string,
  values: readonly string[],
  hints: CsvHints,
  notes: GuessNotes,
): string | null {
  const known = DATES.find(([form]) => values.every((value) => form.test(value)));
  if (known !== undefined) return known[1];
  const parts = values.map((value) => DAY_OR_MONTH.exec(value));
  const sign = parts[0]?.[2];
  if (sign === undefined || parts.some((part) => part?.[2] !== sign)) {
    notes.ask(
      'time',
      `"${column}" has dates of an unknown form, such as "${values[0]}": give a pattern.`,
    );
    return null;
  }
  const isDayFirst = parts.some((part) => Number(part![1]) > 12);
  const isMonthFirst = parts.some((part) => Number(part![3]) > 12);
  const order =
    isDayFirst === isMonthFirst ? hints.dayMonth : isDayFirst ? 'day-first' : 'month-first';
  if (order === undefined) {
    notes.ask(
      'dayMonth',
      `"${column}" has dates such as ${values[0]}: is the day first, or the month?`,
    );
    return null;
  }
  const pattern = order === 'day-first' ? `d${sign}M${sign}yyyy` : `M${sign}d${sign}yyyy`;
  notes.because(`"${column}" has dates such as ${values[0]}: ${pattern}.`);
  return pattern;
}

function guessClock(column: string, values: readonly string[], notes: GuessNotes): string | null {
  if (values.every((value) => CLOCK.test(value))) {
    if (!hasEvenFractions(values.map((value) => CLOCK.exec(value)![1]))) askFraction(column, notes);
    return 'HH:mm:ss[.F]';
  }
  const halved = values.map((value) => HALVED.exec(value));
  const space = halved[0]?.[2];
  if (space !== undefined && halved.every((parts) => parts?.[2] === space)) {
    if (!hasEvenFractions(halved.map((parts) => parts![1]))) askFraction(column, notes);
    return `h:mm:ss[.F]${space}a`;
  }
  if (values.every((value) => /^\d{6}$/.test(value))) return 'HHmmss';
  notes.ask(
    'time',
    `"${column}" has times of an unknown form, such as "${values[0]}": give a pattern.`,
  );
  return null;
}

/** Whether all fractions have the same length; otherwise they may be counts without leading zeros. */
function hasEvenFractions(fractions: readonly (string | undefined)[]): boolean {
  const lengths = new Set(
    fractions.flatMap((digits) => (digits === undefined ? [] : [digits.length])),
  );
  return lengths.size <= 1;
}

function askFraction(column: string, notes: GuessNotes): void {
  notes.ask(
    'time',
    `The fractions of a second in "${column}" have different numbers of digits: give a pattern with [.F] if they are decimal fractions, with .u if they count microseconds.`,
  );
}

function zoned(time: TextTime, hints: CsvHints, notes: GuessNotes): TimeMapping {
  return { ...time, zone: zoneOf(String(time.column), hints, notes) };
}

function zoneOf(column: string, hints: CsvHints, notes: GuessNotes): string {
  if (hints.zone === undefined) {
    notes.ask(
      'zone',
      `The times in "${column}" do not say their zone: give it, such as UTC or America/Chicago.`,
    );
  } else notes.because(`Times are by the clocks of ${hints.zone}, as given.`);
  return hints.zone ?? 'UTC';
}
