/**
 * Files of trading programs: Sierra Chart, NinjaTrader, QuantConnect's Lean. They omit the zone of their clocks or the
 * date; if neither the file nor its name has it, it becomes a question.
 */

import { isUtcDay } from '@tapeloom/core/utc-day';
import { plainName } from '../column-names.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { type CsvGuess, type CsvHints, type CsvPreset, GuessNotes } from './csv-guess.ts';
import { type CsvSample, valuesOf } from './csv-sample.ts';

const SIERRA_BARS = ['date', 'time', 'open', 'high', 'low', 'last', 'volume'];
const SIERRA_TICKS = ['date', 'time', 'sequence', 'depthsequence', 'price', 'volume', 'tradetype'];

export const sierra: CsvPreset = {
  name: 'sierra',
  fits: (sample) => startsWith(sample, SIERRA_BARS) || startsWith(sample, SIERRA_TICKS),
  guess(sample, hints) {
    const notes = new GuessNotes();
    if (hints.zone === undefined) {
      notes.ask(
        'zone',
        'Sierra Chart writes times in the zone it was set to and does not say which: give that zone, such as America/Chicago.',
      );
    }
    const zone = hints.zone ?? 'UTC';
    if (startsWith(sample, SIERRA_TICKS)) return sierraTicks(sample, zone, notes);
    if (startsWith(sample, SIERRA_BARS)) return sierraBars(sample, zone, notes);
    notes.ask(
      'content',
      'The header is neither that of Sierra Chart’s export nor of its tick dumps.',
    );
    return notes.guess(null, { preset: 'sierra' });
  },
};

function startsWith({ header }: CsvSample, names: readonly string[]): boolean {
  return header !== null && names.every((name, place) => plainName(header[place] ?? '') === name);
}

function sierraBars(sample: CsvSample, zone: string, notes: GuessNotes): CsvGuess {
  const names = sample.header!.map(plainName);
  const bid = names.indexOf('bidvolume') + 1;
  const ask = names.indexOf('askvolume') + 1;
  const isBoth = (row: readonly string[]) => Number(row[bid - 1]) > 0 && Number(row[ask - 1]) > 0;
  if (bid > 0 && ask > 0 && sample.rows.some(isBoth)) {
    notes.ask(
      'content',
      'Rows have volume at bid and ask: these are bars. Export one trade per row.',
    );
  }
  notes.because('The header is that of Sierra Chart’s export: Last is the price of the trade.');
  notes.because(
    bid > 0 && ask > 0
      ? 'AskVolume above zero is a buy, BidVolume above zero a sell.'
      : 'There are no columns BidVolume and AskVolume: sides are unknown.',
  );
  const isDashed = valuesOf(sample, 1)[0]?.includes('-') ?? false;
  const mapping: CsvMapping = {
    time: {
      kind: 'date-and-time',
      dateColumn: 1,
      datePattern: isDashed ? 'yyyy-M-d' : 'yyyy/M/d',
      timeColumn: 2,
      timePattern: 'HH:mm:ss[.F]',
      zone,
    },
    price: { column: 6, decimals: 0 },
    size: { column: 7, decimals: 0 },
    side:
      bid > 0 && ask > 0 ? { kind: 'volumes', buyColumn: ask, sellColumn: bid } : { kind: 'none' },
    symbol: null,
    drop: [],
    delimiter: sample.delimiter,
    hasHeader: true,
    decimalSign: '.',
  };
  return notes.guess(mapping, { preset: 'sierra', symbol: nameBeforeDot(sample) });
}

function sierraTicks(sample: CsvSample, zone: string, notes: GuessNotes): CsvGuess {
  notes.because('The header is that of a tick dump by a Sierra Chart study.');
  notes.because('Behind the dot of a time stands a count of microseconds without leading zeros.');
  notes.because('TradeType 2 is at the ask, a buy; 1 is at the bid, a sell.');
  const mapping: CsvMapping = {
    time: {
      kind: 'date-and-time',
      dateColumn: 1,
      datePattern: 'yyyy-MM-dd',
      timeColumn: 2,
      timePattern: 'HH:mm:ss.u',
      zone,
    },
    price: { column: 5, decimals: 0 },
    size: { column: 6, decimals: 0 },
    side: { kind: 'words', column: 7, buy: ['2'], sell: ['1'], unknown: ['0'] },
    symbol: null,
    drop: [],
    delimiter: sample.delimiter,
    hasHeader: true,
    decimalSign: '.',
  };
  return notes.guess(mapping, { preset: 'sierra', symbol: nameBeforeDot(sample) });
}

export const ninjatrader: CsvPreset = {
  name: 'ninjatrader',
  fits: ({ header, delimiter, rows }) =>
    header === null && delimiter === ';' && /^\d{8} \d{6}(?: \d{7})?$/.test(rows[0]?.[0] ?? ''),
  guess(sample, hints) {
    const notes = new GuessNotes();
    const first = sample.rows[0] ?? [];
    const hasQuotes = first.length === 5;
    if (!this.fits(sample)) {
      notes.ask('content', 'The first row is not of the form of NinjaTrader’s tick export.');
    } else if (/\.(?:Bid|Ask)\.txt$/i.test(sample.fileName)) {
      notes.ask('content', 'By its name this file has quotes. Export the series Last.');
    } else if (!hasQuotes && first.length !== 3) {
      notes.ask('content', `Rows have ${first.length} fields: these are bars. Export ticks.`);
    }
    const hasFraction = /^\d{8} \d{6} /.test(first[0] ?? '');
    notes.because(
      hints.zone === undefined
        ? 'NinjaTrader exports times in UTC.'
        : `Times are by the clocks of ${hints.zone}, as given.`,
    );
    const isByQuotes = hasQuotes && hints.hasSideByQuotes === true;
    notes.because(quotesReason(hasQuotes, isByQuotes));
    const mapping: CsvMapping = {
      time: {
        kind: 'text',
        column: 1,
        pattern: hasFraction ? 'yyyyMMdd HHmmss fffffff' : 'yyyyMMdd HHmmss',
        zone: hints.zone ?? 'UTC',
      },
      price: { column: 2, decimals: 0 },
      size: { column: hasQuotes ? 5 : 3, decimals: 0 },
      side: isByQuotes ? { kind: 'quotes', bidColumn: 3, askColumn: 4 } : { kind: 'none' },
      symbol: null,
      drop: [],
      delimiter: ';',
      hasHeader: false,
      decimalSign: valuesOf(sample, 2).some((price) => price.includes(',')) ? ',' : '.',
    };
    return notes.guess(mapping, { preset: 'ninjatrader', symbol: nameBeforeDot(sample) });
  },
};

function quotesReason(hasQuotes: boolean, isByQuotes: boolean): string {
  if (!hasQuotes) return 'There are no quotes: sides are unknown.';
  return isByQuotes
    ? 'Sides follow from the quotes of each row, as given: at the ask or above a buy, at the bid or below a sell, else unknown.'
    : 'NinjaTrader writes quotes and no sides: sides are unknown, unless they are to follow from the quotes.';
}

const LEAN_NAME = /(?:^|[/#])(\d{8})_([a-z0-9]+)_tick_trade_(\d{6,8})/i;
/** From Lean's own table of market hours. */
const LEAN_ZONES: ReadonlyMap<string, string> = new Map([
  ...['cme', 'cbot', 'nymex', 'comex'].map((market) => [market, 'UTC'] as const),
  ['eurex', 'Europe/Berlin'],
]);

export const quantconnect: CsvPreset = {
  name: 'quantconnect',
  fits: ({ header, path, rows }) =>
    header === null && LEAN_NAME.test(path) && rows[0]?.length === 6,
  guess(sample, hints) {
    const notes = new GuessNotes();
    if (sample.header !== null || sample.rows[0]?.length !== 6) {
      notes.ask('content', 'Lean’s trades have six columns and no header, and this file has not.');
    }
    const [, date, root, expiry] = LEAN_NAME.exec(sample.path) ?? [];
    const market = /(?:^|\/)future\/([^/]+)\//.exec(sample.path)?.[1];
    return leanGuess(sample, hints, notes, {
      date: hints.date ?? Number(date ?? 0),
      symbol: root === undefined ? null : `${root.toUpperCase()} ${expiry}`,
      zone: hints.zone ?? LEAN_ZONES.get(market ?? ''),
    });
  },
};

function leanGuess(
  { delimiter }: CsvSample,
  hints: CsvHints,
  notes: GuessNotes,
  { date, symbol, zone }: { date: number; symbol: string | null; zone: string | undefined },
): CsvGuess {
  if (!isUtcDay(date)) {
    notes.ask(
      'date',
      'Times are counted since midnight, and the name of the file has no date: give it.',
    );
  } else {
    const whence = hints.date === undefined ? 'in the name of the file' : 'given';
    notes.because(`Times are milliseconds since the midnight of ${date}, as ${whence}.`);
  }
  if (zone === undefined) {
    notes.ask(
      'zone',
      'The zone of the times follows from the market, which the path does not name: give it, UTC for CME, CBOT, NYMEX and COMEX, Europe/Berlin for Eurex.',
    );
  } else notes.because(`The zone of the times is ${zone}.`);
  notes.because('Lean’s trades have no side; rows that are marked as suspicious are left out.');
  const mapping: CsvMapping = {
    time: { kind: 'midnight', column: 1, unit: 'ms', date, zone: zone ?? 'UTC' },
    price: { column: 2, decimals: 0 },
    size: { column: 3, decimals: 0 },
    side: { kind: 'none' },
    symbol: null,
    drop: [{ column: 6, words: ['1'], when: 'is', as: 'suspicious' }],
    delimiter,
    hasHeader: false,
    decimalSign: '.',
  };
  return notes.guess(mapping, { preset: 'quantconnect', symbol });
}

/** `ES 12-25.Last.txt` has the symbol `ES 12-25`. */
function nameBeforeDot({ fileName }: CsvSample): string | null {
  const name = fileName.split('.')[0]!.replace(/[-_ ]?BarData$/i, '');
  return name === '' ? null : name;
}
