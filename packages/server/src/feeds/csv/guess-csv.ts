/**
 * Guesses the mapping of a text from its first bytes and its name: a known form, or columns by their names and values.
 * Every choice has a readable reason. Ambiguous parts become questions; nothing ambiguous is chosen.
 */

import {
  columnNamed,
  MAKER_NAMES,
  PRICE_NAMES,
  SIDE_NAMES,
  SIDE_WORDS,
  SIZE_NAMES,
  SYMBOL_NAMES,
  spelled,
  TIME_NAMES,
} from '../column-names.ts';
import type { ColumnRef, CsvMapping, SideMapping } from '../feed-mapping.ts';
import { isZone } from '../wall-clock.ts';
import { ARCHIVE_PRESETS, formToSay } from './archive-presets.ts';
import { type CsvGuess, type CsvHints, type CsvPreset, GuessNotes } from './csv-guess.ts';
import { type CsvSample, sampleOf, valuesOf } from './csv-sample.ts';
import { ninjatrader, quantconnect, sierra } from './desk-presets.ts';
import { guessDateAndTime, guessTime } from './guess-times.ts';
import { binanceAggTrades, binanceTrades, databento, tardis } from './vendor-presets.ts';

const PRESETS: readonly CsvPreset[] = [
  databento,
  tardis,
  binanceTrades,
  binanceAggTrades,
  sierra,
  ninjatrader,
  quantconnect,
  ...ARCHIVE_PRESETS,
];

const EPOCH = /^\d{10}(?:\.\d+|\d{3}|\d{6}|\d{9})?$/;
const NUMBER = /^[+-]?\d*\.?\d+(?:[eE][+-]?\d+)?$/;

export function guessCsv(firstBytes: Uint8Array, path: string, hints: CsvHints = {}): CsvGuess {
  const notes = new GuessNotes();
  if (hints.zone !== undefined && !isZone(hints.zone)) {
    notes.ask('zone', `"${hints.zone}" is no zone: give one such as UTC or America/Chicago.`);
    return notes.guess(null);
  }
  const sample = sampleOf(firstBytes, path);
  if (sample === null) {
    notes.ask(
      'content',
      'These are no rows of columns, all with as many: is this a text of trades?',
    );
    return notes.guess(null);
  }
  if (sample.rows.length === 0) {
    notes.ask(
      'content',
      'There is a header and no whole row, so nothing can be told of the values.',
    );
    return notes.guess(null);
  }
  if (hints.preset !== undefined) {
    return PRESETS.find(({ name }) => name === hints.preset)!.guess(sample, hints);
  }
  const fitting = PRESETS.filter((preset) => preset.fits(sample));
  if (fitting.length === 1) return fitting[0]!.guess(sample, hints);
  if (fitting.length > 1) {
    const names = fitting.map(({ name }) => name).join(', ');
    notes.ask('preset', `This could be of several forms: say which of ${names}.`);
    return notes.guess(null);
  }
  if (sample.header === null) {
    const form = formToSay(sample);
    const known =
      form === null
        ? 'and no known form:'
        : `and others than ${form} have this form too: say --preset ${form} if it is of ${form}, or`;
    notes.ask(
      'columns',
      `There is no header, ${known} give a mapping with the numbers of columns. --explain proposes one.`,
    );
    return notes.guess(numberedDraft(sample, hints));
  }
  return byNames(sample, sample.header, hints, notes);
}

function byNames(
  sample: CsvSample,
  header: readonly string[],
  hints: CsvHints,
  notes: GuessNotes,
): CsvGuess {
  const named = (names: readonly string[]) => columnNamed(header, names);
  const values = (column: string) => valuesOf(sample, header.indexOf(column) + 1);
  const price = needed('price', named(PRICE_NAMES), notes);
  const size = needed('size', named(SIZE_NAMES), notes);
  const timeColumn = needed('time', named(TIME_NAMES), notes);
  if (price === null || size === null || timeColumn === null) return notes.guess(null);
  if (new Set(header).size !== header.length) {
    notes.ask('columns', 'Two columns have one name: give a mapping with the numbers of columns.');
  }
  const date = named(['date']);
  const time =
    date === null
      ? guessTime(timeColumn, values(timeColumn), hints, notes)
      : guessDateAndTime([date, timeColumn], [values(date), values(timeColumn)], hints, notes);
  const decimalSign = signOf(sample, [...values(price), ...values(size)], notes);
  const isSigned = values(size).some((value) => value.startsWith('-'));
  const side = sideOf(named, values, { ...hints, isSigned }, notes);
  const symbol = named(SYMBOL_NAMES);
  notes.because(`"${price}" is the price and "${size}" the size.`);
  notes.because(symbol === null ? 'No column names the instrument.' : `"${symbol}" is the symbol.`);
  const mapping: CsvMapping = {
    // With an open question, this is a starting point.
    time: time ?? draftTime(timeColumn),
    price: { column: price, decimals: 0 },
    size: { column: size, decimals: 0 },
    side: side ?? { kind: 'none' },
    symbol: symbol === null ? null : { column: symbol, isFuturesOnly: false },
    drop: [],
    delimiter: sample.delimiter,
    hasHeader: true,
    decimalSign,
  };
  return notes.guess(mapping);
}

/** Time, price and size in column order: a proposal for the user to correct. */
function numberedDraft(sample: CsvSample, hints: CsvHints): CsvMapping | null {
  const [first] = sample.rows;
  const isNumber = (column: number) => NUMBER.test(first![column - 1]!);
  const columns = first!.map((_, place) => place + 1);
  const time = columns.find((column) => !isNumber(column) || EPOCH.test(first![column - 1]!));
  const [price, size] = columns.filter((column) => column !== time && isNumber(column));
  if (price === undefined || size === undefined) return null;
  const at = time ?? 1;
  const guessed = guessTime(String(at), valuesOf(sample, at), hints, new GuessNotes());
  return {
    time: { ...(guessed ?? draftTime(at)), column: at } as CsvMapping['time'],
    price: { column: price, decimals: 0 },
    size: { column: size, decimals: 0 },
    side: { kind: 'none' },
    symbol: null,
    drop: [],
    delimiter: sample.delimiter,
    hasHeader: false,
    decimalSign: '.',
  };
}

function draftTime(column: ColumnRef): CsvMapping['time'] {
  return { kind: 'text', column, pattern: 'yyyy-MM-dd HH:mm:ss[.F]', zone: 'UTC' };
}

function needed(what: string, column: string | null, notes: GuessNotes): string | null {
  if (column === null) {
    notes.ask(
      'columns',
      `No column is named like a ${what}: give a mapping that says which it is.`,
    );
  }
  return column;
}

function signOf(
  { delimiter }: CsvSample,
  values: readonly string[],
  notes: GuessNotes,
): CsvMapping['decimalSign'] {
  if (values.every((value) => NUMBER.test(value))) return '.';
  const isComma =
    delimiter !== ',' && values.every((value) => NUMBER.test(value.replace(',', '.')));
  if (isComma) {
    // 1,250 is a thousand in some countries and little more than one in others.
    const isThousands = values.every((value) => !value.includes(',') || /,\d{3}$/.test(value));
    if (!isThousands) {
      notes.because('Numbers have a decimal comma.');
      return ',';
    }
  }
  const value = values.find((text) => !NUMBER.test(text));
  notes.ask(
    'columns',
    `Prices or sizes have values such as "${value}", which cannot be told for sure.`,
  );
  return '.';
}

function sideOf(
  named: (names: readonly string[]) => string | null,
  values: (column: string) => readonly string[],
  { isSigned, buyWords, sellWords }: CsvHints & { readonly isSigned: boolean },
  notes: GuessNotes,
): SideMapping | null {
  const maker = named(MAKER_NAMES);
  const column = maker ?? named(SIDE_NAMES);
  if (column === null && isSigned) {
    notes.because(
      'No column is named like a side, and sizes have signs: those below zero are sells.',
    );
    return { kind: 'sign' };
  }
  if (column === null) {
    notes.because('No column is named like a side: sides are unknown.');
    return { kind: 'none' };
  }
  const words = [...new Set(values(column))];
  if (buyWords !== undefined && sellWords !== undefined) {
    notes.because(
      `"${column}": ${buyWords.join(', ')} is a buy, ${sellWords.join(', ')} a sell, as given.`,
    );
    const said = [...buyWords, ...sellWords];
    const unknown = [...new Set(['', ...words])].filter((word) => !said.includes(word));
    return { kind: 'words', column, buy: buyWords, sell: sellWords, unknown };
  }
  if (maker !== null && words.every((word) => /^(?:true|false)$/i.test(word))) {
    notes.because(`"${maker}": the buyer was the maker, so true is a sell and false a buy.`);
    const [buy, sell] = [
      ['false', 'False', 'FALSE'],
      ['true', 'True', 'TRUE'],
    ];
    return { kind: 'words', column: maker, buy: buy!, sell: sell!, unknown: [] };
  }
  const pair = SIDE_WORDS.find((its) => {
    const known = [...its.flatMap(spelled), 'unknown', 'none', '0'];
    return words.every((word) => known.includes(word)) && words.some((word) => word.length > 0);
  });
  if (maker === null && pair !== undefined) {
    notes.because(`"${column}" says ${pair[0]} or ${pair[1]}.`);
    const [buy, sell] = pair.map(spelled);
    return { kind: 'words', column, buy: buy!, sell: sell!, unknown: ['unknown', 'none', '0', ''] };
  }
  const shown = words.slice(0, 5).join(', ');
  notes.ask(
    'side',
    `"${column}" has the words ${shown}: say which is a buy of the aggressor and which a sell.`,
  );
  return null;
}
