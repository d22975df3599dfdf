/** Files of exchanges, vendors and desks, as data: how each is recognised, its mapping, and the reasons. */

import type { CsvMapping, SideMapping } from '../feed-mapping.ts';
import type { CsvPresetName } from './csv-guess.ts';
import type { CsvSample } from './csv-sample.ts';

export interface ArchiveForm {
  readonly name: CsvPresetName;
  /** Required columns of the header; null without a header. */
  readonly header: readonly string[] | null;
  /** A further condition on the first row. */
  readonly isRow?: (row: readonly string[], sample: CsvSample) => boolean;
  /** Whether the content suffices to choose it; otherwise only `--preset` does. */
  readonly isTelling?: boolean;
  /** The zone of wall-clock times; null if the file does not state it, so that it becomes a question. */
  readonly zone?: string | null;
  readonly because: readonly string[];
  readonly mapping: Pick<CsvMapping, 'time' | 'price' | 'size'> &
    Partial<Pick<CsvMapping, 'side' | 'symbol' | 'drop'>>;
  /** The side mapping if sides are derived from quotes. */
  readonly quotes?: SideMapping;
  /** A side column whose words the user must state, and the question for them. */
  readonly askedSide?: { readonly column: number; readonly question: string };
  /** The symbol in the file name. */
  readonly symbol?: RegExp;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const EPOCH_SECONDS = /^\d{10}(?:\.\d+)?$/;
const BUY_OR_SELL = { buy: ['buy', 'Buy', 'BUY'], sell: ['sell', 'Sell', 'SELL'] } as const;
/** `BTCUSDT2026-03-10.csv`, `BTCUSDT_2026-03-10.csv`, `BTC_USDT-202603.csv`. */
const SYMBOL_AND_DATE = /^([A-Z0-9]+(?:_[A-Z0-9]+)?)[-_]?\d{4}-?\d{2}/;
const BEFORE_DOT = /^([^.]+)/;

export const named = (column: string | number) => ({ column, decimals: 0 });
export const sides = (column: string | number, words: Pick<SideMappingWords, 'buy' | 'sell'>) =>
  ({ kind: 'words', column, ...words, unknown: [''] }) as const;
type SideMappingWords = Extract<SideMapping, { readonly kind: 'words' }>;
const ofSymbol = (column: string) => ({ column, isFuturesOnly: false });
/** The flags of a tick in MetaTrader: 32 is a buy, 64 a sell. */
const flags = (bit: number, other: number) =>
  Array.from({ length: 128 }, (_, flag) => flag)
    .filter((flag) => (flag & bit) !== 0 && (flag & other) === 0)
    .map(String);
const unsaidFlags = () => {
  const said = new Set([...flags(32, 64), ...flags(64, 32)]);
  return Array.from({ length: 128 }, (_, flag) => String(flag)).filter((flag) => !said.has(flag));
};

const OKX_OLD = ['trade_id', 'side', 'size', 'price', 'created_time'];
const PERPETUALS = ['timestamp', 'symbol', 'side', 'size', 'price', 'tickDirection'];

export const ARCHIVE_FORMS: readonly ArchiveForm[] = [
  {
    name: 'bybit',
    header: PERPETUALS,
    isRow: (row, { header }) => EPOCH_SECONDS.test(row[header!.indexOf('timestamp')]!),
    isTelling: true,
    because: ['The header is that of Bybit’s archive: seconds since 1970, side of the taker.'],
    mapping: {
      time: { kind: 'epoch', column: 'timestamp', unit: 's' },
      price: named('price'),
      size: named('size'),
      side: sides('side', BUY_OR_SELL),
      symbol: ofSymbol('symbol'),
    },
  },
  {
    name: 'bybit',
    header: ['id', 'timestamp', 'price', 'volume', 'side'],
    isTelling: true,
    because: [
      'The header is that of Bybit’s spot archive: milliseconds since 1970, side of the taker.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 'timestamp', unit: 'by-digits' },
      price: named('price'),
      size: named('volume'),
      side: sides('side', BUY_OR_SELL),
    },
    symbol: SYMBOL_AND_DATE,
  },
  {
    name: 'bitmex',
    header: PERPETUALS,
    isRow: (row, { header }) => /^\d{4}-\d{2}-\d{2}D/.test(row[header!.indexOf('timestamp')]!),
    isTelling: true,
    because: [
      'The header and the times with a D are those of BitMEX’s archive: UTC, side of the taker.',
    ],
    mapping: {
      time: { kind: 'text', column: 'timestamp', pattern: 'yyyy-MM-ddDHH:mm:ss[.F]', zone: 'UTC' },
      price: named('price'),
      size: named('size'),
      side: sides('side', BUY_OR_SELL),
      symbol: ofSymbol('symbol'),
    },
  },
  {
    name: 'okx',
    header: ['instrument_name', 'trade_id', 'side', 'price', 'size', 'created_time'],
    isTelling: true,
    because: [
      'The header is that of OKX’s archive: milliseconds since 1970, side of the taker, sizes as OKX counts them.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 'created_time', unit: 'by-digits' },
      price: named('price'),
      size: named('size'),
      side: sides('side', BUY_OR_SELL),
      symbol: ofSymbol('instrument_name'),
    },
  },
  {
    name: 'okx',
    header: [],
    // Each name is followed by its Chinese one, in varying encodings.
    isRow: (_, { header }) =>
      header!.length === OKX_OLD.length &&
      OKX_OLD.every((name, at) => header![at]!.startsWith(`${name}/`)),
    isTelling: true,
    because: [
      'The header is that of OKX’s older archive: milliseconds since 1970, side of the taker, sizes as OKX counts them.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 5, unit: 'by-digits' },
      price: named(4),
      size: named(3),
      side: sides(2, BUY_OR_SELL),
    },
    symbol: /^([A-Z0-9-]+)-(?:agg)?trades/,
  },
  {
    name: 'bitget',
    header: ['trade_id', 'timestamp', 'price', 'side', 'size(base)'],
    isTelling: true,
    because: [
      'The header is that of Bitget’s archive: sizes are those of the base, side of the taker.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 'timestamp', unit: 'by-digits' },
      price: named('price'),
      size: named('size(base)'),
      side: sides('side', BUY_OR_SELL),
    },
    symbol: SYMBOL_AND_DATE,
  },
  {
    name: 'kraken',
    header: null,
    isRow: (row) =>
      row.length === 3 && EPOCH_SECONDS.test(row[0]!) && row.every((it) => NUMBER.test(it)),
    because: [
      'Columns as in Kraken’s history: seconds since 1970, price, volume. It has no sides.',
    ],
    mapping: { time: { kind: 'epoch', column: 1, unit: 's' }, price: named(2), size: named(3) },
    symbol: BEFORE_DOT,
  },
  {
    name: 'gate',
    header: null,
    isRow: (row) =>
      row.length === 4 && EPOCH_SECONDS.test(row[0]!) && row.every((it) => NUMBER.test(it)),
    because: [
      'Columns as in Gate’s archive of futures: seconds since 1970, id, price, size; a size below zero was sold.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 1, unit: 's' },
      price: named(3),
      size: named(4),
      side: { kind: 'sign' },
    },
    symbol: SYMBOL_AND_DATE,
  },
  {
    name: 'gate',
    header: null,
    isRow: (row) =>
      row.length === 5 && EPOCH_SECONDS.test(row[0]!) && row.every((it) => NUMBER.test(it)),
    because: ['Columns as in Gate’s archive of spot: seconds since 1970, id, price, amount, side.'],
    mapping: {
      time: { kind: 'epoch', column: 1, unit: 's' },
      price: named(3),
      size: named(4),
    },
    askedSide: {
      column: 5,
      question:
        'Gate’s archive of spot has sides as numbers: look one trade up, and say with --buy and --sell which is which.',
    },
    symbol: SYMBOL_AND_DATE,
  },
  {
    name: 'kaiko',
    header: ['exchange', 'symbol', 'date', 'price', 'amount', 'sell'],
    isTelling: true,
    because: [
      'The header is that of Kaiko: milliseconds since 1970; sell says that the taker sold.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 'date', unit: 'by-digits' },
      price: named('price'),
      size: named('amount'),
      side: sides('sell', { buy: ['false', 'False'], sell: ['true', 'True'] }),
      symbol: ofSymbol('symbol'),
    },
  },
  {
    name: 'coinapi',
    header: ['time_exchange', 'price', 'base_amount', 'taker_side'],
    isTelling: true,
    because: [
      'The header is that of CoinAPI’s flat files, times in UTC. Sides that CoinAPI estimated are unknown here.',
    ],
    mapping: {
      time: { kind: 'text', column: 'time_exchange', pattern: 'iso', zone: 'UTC' },
      price: named('price'),
      size: named('base_amount'),
      side: {
        kind: 'words',
        column: 'taker_side',
        buy: ['BUY'],
        sell: ['SELL'],
        unknown: ['BUY_ESTIMATED', 'SELL_ESTIMATED', 'UNKNOWN', ''],
      },
    },
    // `IDDI-1+SC-BINANCE_SPOT_BTC_USDT+S-BTCUSDT.csv`, or the symbol alone.
    symbol: /(?:^|\+SC-)([^.+]+)(?=\.|\+S-)/,
  },
  {
    name: 'polygon',
    header: ['ticker', 'conditions', 'participant_timestamp', 'price', 'sip_timestamp', 'size'],
    isTelling: true,
    because: [
      'The header is that of Polygon’s trades: nanoseconds since 1970 by the exchange. They have no sides.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 'participant_timestamp', unit: 'ns' },
      price: named('price'),
      size: named('size'),
      symbol: ofSymbol('ticker'),
    },
  },
  {
    name: 'polygon',
    header: ['ticker', 'conditions', 'participant_timestamp', 'price', 'size'],
    isRow: (_, { header }) => !header!.includes('sip_timestamp'),
    isTelling: true,
    because: [
      'The header is that of Polygon’s trades of crypto: the condition 2 is a buy, 1 a sell.',
    ],
    mapping: {
      time: { kind: 'epoch', column: 'participant_timestamp', unit: 'ns' },
      price: named('price'),
      size: named('size'),
      side: {
        kind: 'words',
        column: 'conditions',
        buy: ['2'],
        sell: ['1'],
        unknown: ['0', ''],
      },
      symbol: ofSymbol('ticker'),
    },
  },
  {
    name: 'iqfeed',
    header: null,
    isRow: (row) =>
      row.length >= 10 &&
      /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?$/.test(row[0]!) &&
      row.slice(1, 7).every((it) => NUMBER.test(it)) &&
      /^[A-Z]$/.test(row[7]!),
    isTelling: true,
    zone: 'America/New_York',
    because: [
      'Columns as in IQFeed’s history of ticks, times of New York. Settlements are left out.',
      'Ask IQFeed for the oldest first: trades of one time keep the order of the file.',
    ],
    mapping: {
      time: { kind: 'text', column: 1, pattern: 'yyyy-MM-dd HH:mm:ss[.F]', zone: '' },
      price: named(2),
      size: named(3),
      drop: [{ column: 8, words: ['S'], when: 'is', as: 'settlements' }],
    },
    quotes: { kind: 'quotes', bidColumn: 5, askColumn: 6 },
    symbol: BEFORE_DOT,
  },
  {
    name: 'kibot',
    header: null,
    isRow: (row) => (row.length === 4 || row.length === 6) && isSlashed(row, /^\d{2}:\d{2}:\d{2}$/),
    isTelling: true,
    zone: 'America/New_York',
    because: [
      'Columns as in Kibot’s ticks: month first, times of New York in whole seconds. They have no sides.',
    ],
    mapping: {
      time: slashed('HH:mm:ss'),
      price: named(3),
      size: named(4),
    },
    symbol: BEFORE_DOT,
  },
  {
    name: 'tickdata',
    header: null,
    isRow: (row) => row.length >= 4 && isSlashed(row, /^\d{2}:\d{2}:\d{2}\.\d{3,6}$/),
    isTelling: true,
    zone: null,
    because: [
      'Columns as in TickData’s trades: date with the month first, time, price, volume. They have no sides.',
    ],
    mapping: { time: slashed('HH:mm:ss[.F]'), price: named(3), size: named(4) },
    symbol: BEFORE_DOT,
  },
  {
    name: 'mt5',
    header: ['<DATE>', '<TIME>', '<BID>', '<ASK>', '<LAST>', '<VOLUME>', '<FLAGS>'],
    isTelling: true,
    zone: null,
    because: [
      'The header is that of ticks of MetaTrader 5. Rows without a last price are quotes and left out.',
      'Of the flags, 32 is a buy and 64 a sell; where both or neither is there, the side is unknown.',
    ],
    mapping: {
      time: {
        kind: 'date-and-time',
        dateColumn: '<DATE>',
        datePattern: 'yyyy.MM.dd',
        timeColumn: '<TIME>',
        timePattern: 'HH:mm:ss[.F]',
        zone: '',
      },
      price: named('<LAST>'),
      size: named('<VOLUME>'),
      side: {
        kind: 'words',
        column: '<FLAGS>',
        buy: flags(32, 64),
        sell: flags(64, 32),
        unknown: unsaidFlags(),
      },
      drop: [{ column: '<LAST>', words: [''], when: 'is', as: 'quotes without a trade' }],
    },
    symbol: /^([^._]+)/,
  },
];

/** Dates with the month first; a file may contain only the first days of months. */
function isSlashed([date, time, ...numbers]: readonly string[], clock: RegExp): boolean {
  const isDate = /^(?:0[1-9]|1[0-2])\/\d{2}\/\d{4}$/.test(date ?? '');
  return isDate && clock.test(time ?? '') && numbers.slice(0, 2).every((it) => NUMBER.test(it));
}

function slashed(timePattern: string) {
  return {
    kind: 'date-and-time',
    dateColumn: 1,
    datePattern: 'MM/dd/yyyy',
    timeColumn: 2,
    timePattern,
    zone: '',
  } as const;
}
