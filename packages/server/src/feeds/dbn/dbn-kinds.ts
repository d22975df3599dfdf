/**
 * What the numbers of DBN mean: schemas, kinds of records, and where a trade stands in those that may carry one. The
 * layouts are the same in versions 1, 2 and 3; a record may be 8 bytes longer, by the time at which it was sent.
 */

/** By their numbers. */
const SCHEMAS: readonly string[] = [
  'mbo',
  'mbp-1',
  'mbp-10',
  'tbbo',
  'trades',
  'ohlcv-1s',
  'ohlcv-1m',
  'ohlcv-1h',
  'ohlcv-1d',
  'definition',
  'statistics',
  'status',
  'imbalance',
  'ohlcv-eod',
  'cmbp-1',
  'cbbo-1s',
  'cbbo-1m',
  'tcbbo',
  'bbo-1s',
  'bbo-1m',
];

/** The schema of live captures, which hold what was subscribed to. */
export const MIXED_SCHEMA = 0xffff;

export const HEADER_BYTES = 16;
/** What `ts_out` adds to a record. */
export const SENT_BYTES = 8;

/** Where a record that may carry a trade has it. Action and side are neighbours. */
export interface TradeLayout {
  readonly name: string;
  readonly rtype: number;
  readonly bytes: number;
  readonly price: number;
  readonly size: number;
  readonly action: number;
  readonly received: number;
}

const bookLayout = { price: 16, size: 24, action: 28, received: 32 } as const;

/** Where a capture has several of them, trades are taken from the first. */
export const TRADE_LAYOUTS: readonly TradeLayout[] = [
  { name: 'trades', rtype: 0x00, bytes: 48, ...bookLayout },
  { name: 'tcbbo', rtype: 0xc2, bytes: 80, ...bookLayout },
  { name: 'mbp-1', rtype: 0x01, bytes: 80, ...bookLayout },
  { name: 'cmbp-1', rtype: 0xb1, bytes: 80, ...bookLayout },
  { name: 'mbp-10', rtype: 0x0a, bytes: 368, ...bookLayout },
  { name: 'mbo', rtype: 0xa0, bytes: 56, price: 24, size: 32, action: 38, received: 40 },
];

/** Schemas whose records may carry trades, and the name of their layout. */
const TRADE_SCHEMAS: Readonly<Record<string, string>> = {
  trades: 'trades',
  tbbo: 'mbp-1',
  'mbp-1': 'mbp-1',
  'mbp-10': 'mbp-10',
  mbo: 'mbo',
  'cmbp-1': 'cmbp-1',
  tcbbo: 'tcbbo',
};

export const TRADE_SCHEMA_NAMES = Object.keys(TRADE_SCHEMAS);

export const DEFINITION_RTYPE = 0x13;
export const SYMBOL_MAPPING_RTYPE = 0x16;

/** Records that carry no trade, by name; bars of very old files have 0x11. */
const OTHER_RTYPES: ReadonlyMap<number, string> = new Map([
  [0x11, 'ohlcv'],
  [0x12, 'status'],
  [DEFINITION_RTYPE, 'definition'],
  [0x14, 'imbalance'],
  [0x15, 'error'],
  [SYMBOL_MAPPING_RTYPE, 'symbol mapping'],
  [0x17, 'system'],
  [0x18, 'statistics'],
  [0x20, 'ohlcv-1s'],
  [0x21, 'ohlcv-1m'],
  [0x22, 'ohlcv-1h'],
  [0x23, 'ohlcv-1d'],
  [0x24, 'ohlcv-eod'],
  [0xc0, 'cbbo-1s'],
  [0xc1, 'cbbo-1m'],
  [0xc3, 'bbo-1s'],
  [0xc4, 'bbo-1m'],
]);

/** `trades`, or for people what its number is. */
export function schemaName(schema: number): string {
  if (schema === MIXED_SCHEMA) return 'mixed';
  return SCHEMAS[schema] ?? `unknown (number ${schema})`;
}

/** The layout of a schema's trades; null for schemas without any. */
export function tradeLayoutOfSchema(schema: number): TradeLayout | null {
  const name = TRADE_SCHEMAS[SCHEMAS[schema] ?? ''];
  return TRADE_LAYOUTS.find((layout) => layout.name === name) ?? null;
}

export function tradeLayoutOf(rtype: number): TradeLayout | null {
  return TRADE_LAYOUTS.find((layout) => layout.rtype === rtype) ?? null;
}

/** What records of this type are called; null for types that nobody knows. */
export function recordName(rtype: number): string | null {
  return tradeLayoutOf(rtype)?.name ?? OTHER_RTYPES.get(rtype) ?? null;
}

/** The kinds of names (`stype`) by which an instrument is known as it is; all others are aliases. */
export const NAME_KINDS = { instrumentId: 0, rawSymbol: 1, parent: 4 } as const;
