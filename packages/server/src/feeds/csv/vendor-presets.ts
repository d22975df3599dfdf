/** Files of Databento, Binance and Tardis. They are complete, so no question is needed. */

import type { CsvMapping, SideWords } from '../feed-mapping.ts';
import { type CsvGuess, type CsvPreset, type CsvPresetName, GuessNotes } from './csv-guess.ts';
import { type CsvSample, valuesOf } from './csv-sample.ts';

const BOOLEAN = /^(?:true|false)$/i;
const EPOCH = /^\d{13}(?:\d{3})?$/;

/** If the buyer was the maker, the seller was the aggressor. */
const BUYER_WAS_MAKER = {
  kind: 'words',
  buy: ['false', 'False', 'FALSE'],
  sell: ['true', 'True', 'TRUE'],
  unknown: [],
} as const;

export const databento: CsvPreset = {
  name: 'databento',
  fits: ({ header }) =>
    header !== null &&
    ['ts_event', 'rtype', 'price', 'size'].every((name) => header.includes(name)),
  guess(sample) {
    const notes = new GuessNotes();
    const header = sample.header ?? [];
    const missing = ['ts_event', 'action', 'side', 'price', 'size'].filter(
      (name) => !header.includes(name),
    );
    if (missing.length > 0) {
      const which = missing.join(', ');
      notes.ask('content', `This has no column ${which}, so it is no Databento file with trades.`);
      return notes.guess(null, { preset: 'databento' });
    }
    const firstOf = (name: string) => valuesOf(sample, header.indexOf(name) + 1)[0] ?? '';
    const isRawTime = /^\d+$/.test(firstOf('ts_event'));
    const isRawPrice = /^-?\d+$/.test(firstOf('price'));
    const symbol = header.includes('symbol') ? 'symbol' : 'instrument_id';
    notes.because(
      isRawTime ? 'ts_event is a whole number: nanoseconds.' : 'ts_event is an ISO time in UTC.',
    );
    notes.because(
      isRawPrice
        ? 'price has no dot: it is a whole number of 0.000000001.'
        : 'price has a dot: it is a decimal number.',
    );
    notes.because('Only rows with the action T are trades; sides are A (sell), B (buy), N (none).');
    notes.because(
      symbol === 'symbol'
        ? 'The column symbol tells instruments apart; spreads and options are left out by name.'
        : 'There is no column symbol: instruments are told apart by instrument_id.',
    );
    const mapping: CsvMapping = {
      time: isRawTime
        ? { kind: 'epoch', column: 'ts_event', unit: 'ns' }
        : { kind: 'text', column: 'ts_event', pattern: 'iso', zone: null },
      price: { column: 'price', decimals: isRawPrice ? 9 : 0 },
      size: { column: 'size', decimals: 0 },
      side: { kind: 'words', column: 'side', buy: ['B'], sell: ['A'], unknown: ['N'] },
      symbol: { column: symbol, isFuturesOnly: symbol === 'symbol' },
      drop: [{ column: 'action', words: ['T'], when: 'is-not', as: 'not a trade' }],
      delimiter: sample.delimiter,
      hasHeader: true,
      decimalSign: '.',
    };
    return notes.guess(mapping, { preset: 'databento' });
  },
};

interface BinanceForm {
  readonly name: CsvPresetName;
  readonly headerBegin: string;
  readonly columns: readonly number[];
  readonly time: number;
}

/** Spot files have an additional last column. */
export const binanceTrades = binance({
  name: 'binance-trades',
  headerBegin: 'id,price,qty',
  columns: [6, 7],
  time: 5,
});

export const binanceAggTrades = binance({
  name: 'binance-aggtrades',
  headerBegin: 'agg_trade_id,price,quantity',
  columns: [7, 8],
  time: 6,
});

function binance({ name, headerBegin, columns, time }: BinanceForm): CsvPreset {
  const isForm = (sample: CsvSample) => {
    const row = sample.rows[0];
    return (
      sample.delimiter === ',' &&
      row !== undefined &&
      columns.includes(row.length) &&
      EPOCH.test(row[time - 1]!) &&
      BOOLEAN.test(row[time]!)
    );
  };
  return {
    name,
    fits: (sample) => {
      const isNamed = sample.header === null || sample.header.join(',').startsWith(headerBegin);
      return isNamed && isForm(sample);
    },
    guess(sample): CsvGuess {
      const notes = new GuessNotes();
      if (!isForm(sample)) {
        notes.ask(
          'content',
          `The first row is not of the form of Binance's ${name.slice(8)} files.`,
        );
      }
      notes.because(
        `${sample.header === null ? 'No header' : 'A header'}, and columns as in Binance's archive.`,
      );
      notes.because(
        'Times are milliseconds or microseconds since 1970, by their number of digits.',
      );
      notes.because('is_buyer_maker: false is a buy, true is a sell.');
      const side: SideWords = { ...BUYER_WAS_MAKER, column: time + 1 };
      const mapping: CsvMapping = {
        time: { kind: 'epoch', column: time, unit: 'by-digits' },
        price: { column: 2, decimals: 0 },
        size: { column: 3, decimals: 0 },
        side,
        symbol: null,
        drop: [],
        delimiter: ',',
        hasHeader: sample.header !== null,
        decimalSign: '.',
      };
      const symbol = /^([A-Z0-9]+(?:_[A-Z0-9]+)?)-(?:trades|aggTrades)-/.exec(sample.fileName)?.[1];
      return notes.guess(mapping, { preset: name, symbol: symbol ?? null });
    },
  };
}

const TARDIS_HEADER = ['symbol', 'timestamp', 'local_timestamp', 'side', 'price', 'amount'];

export const tardis: CsvPreset = {
  name: 'tardis',
  fits: ({ header }) => header !== null && TARDIS_HEADER.every((name) => header.includes(name)),
  guess(sample) {
    const notes = new GuessNotes();
    if (!this.fits(sample)) {
      notes.ask(
        'content',
        `The header is not that of Tardis: it needs ${TARDIS_HEADER.join(', ')}.`,
      );
    }
    notes.because(
      'The header is that of Tardis: timestamp in microseconds, side of the aggressor.',
    );
    const mapping: CsvMapping = {
      time: { kind: 'epoch', column: 'timestamp', unit: 'us' },
      price: { column: 'price', decimals: 0 },
      size: { column: 'amount', decimals: 0 },
      side: {
        kind: 'words',
        column: 'side',
        buy: ['buy'],
        sell: ['sell'],
        unknown: ['unknown', ''],
      },
      symbol: { column: 'symbol', isFuturesOnly: false },
      drop: [],
      delimiter: ',',
      hasHeader: true,
      decimalSign: '.',
    };
    return notes.guess(mapping, { preset: 'tardis' });
  },
};
