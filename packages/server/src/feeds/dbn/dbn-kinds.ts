/**
 * The numbers of DBN: schemas, record kinds, and the position of a trade in each. The layouts are the same in versions
 * 1, 2 and 3; a record may be 8 bytes longer, by its time of sending.
 */

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

/** The schema of live captures, which contain all subscribed schemas. */
export const MIXED_SCHEMA = 0xffff;

export const HEADER_BYTES = 16;
/** The bytes that `ts_out` adds to a record. */
export const SENT_BYTES = 8;

/** The position of a trade in a record. Action and side are adjacent. */
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

/** In order of preference for captures with several of them. */
export const TRADE_LAYOUTS: readonly TradeLayout[] = [
  { name: 'trades', rtype: 0x00, bytes: 48, ...bookLayout },
  { name: 'tcbbo', rtype: 0xc2, bytes: 80, ...bookLayout },
  { name: 'mbp-1', rtype: 0x01, bytes: 80, ...bookLayout },
  { name: 'cmbp-1', rtype: 0xb1, bytes: 80, ...bookLayout },
  { name: 'mbp-10', rtype: 0x0a, bytes: 368, ...bookLayout },
  { name: 'mbo', rtype: 0xa0, bytes: 56, price: 24, size: 32, action: 38, received: 40 },
];

/** Schemas whose records may carry trades, with their layout. */
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
export const ERROR_RTYPE = 0x15;
export const SYMBOL_MAPPING_RTYPE = 0x16;
export const SYSTEM_RTYPE = 0x17;

/** Record types without trades; bars of very old files have 0x11. */
const OTHER_RTYPES: ReadonlyMap<number, string> = new Map([
  [0x11, 'ohlcv'],
  [0x12, 'status'],
  [DEFINITION_RTYPE, 'definition'],
  [0x14, 'imbalance'],
  [ERROR_RTYPE, 'error'],
  [SYMBOL_MAPPING_RTYPE, 'symbol mapping'],
  [SYSTEM_RTYPE, 'system'],
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

/** The name of a schema for messages. */
export function schemaName(schema: number): string {
  if (schema === MIXED_SCHEMA) return 'mixed';
  return SCHEMAS[schema] ?? `unknown (number ${schema})`;
}

/** The layout of a schema's trades; null without trades. */
export function tradeLayoutOfSchema(schema: number): TradeLayout | null {
  const name = TRADE_SCHEMAS[SCHEMAS[schema] ?? ''];
  return TRADE_LAYOUTS.find((layout) => layout.name === name) ?? null;
}

export function tradeLayoutOf(rtype: number): TradeLayout | null {
  return TRADE_LAYOUTS.find((layout) => layout.rtype === rtype) ?? null;
}

/** The name of a record type; null for unknown types. */
export function recordName(rtype: number): string | null {
  return tradeLayoutOf(rtype)?.name ?? OTHER_RTYPES.get(rtype) ?? null;
}

/** The kinds of names (`stype`) that identify an instrument; all others are aliases. */
export const NAME_KINDS = { instrumentId: 0, rawSymbol: 1, parent: 4 } as const;
