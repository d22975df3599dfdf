/**
 * Finds the columns for time, price, size, side and symbol by name and type. Nothing ambiguous is chosen: such a table
 * is rejected, with the options that would settle it.
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
import type { CsvHints } from '../csv/csv-guess.ts';
import { FeedError } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import type { TableMapping, TableType } from './table-mapping.ts';

export type TableColumns = ReadonlyMap<string, TableType>;

/** `zone` is the stated zone of wall-clock times. */
export function guessTable(
  columns: TableColumns,
  zone: string | null,
  { buyWords, sellWords }: Pick<CsvHints, 'buyWords' | 'sellWords'> = {},
): { readonly mapping: TableMapping; readonly reasons: readonly string[] } {
  const names = [...columns.keys()];
  const needed = (what: string, known: readonly string[]): string => {
    const found = columnNamed(names, known);
    if (found !== null) return found;
    throw new FeedError(
      `No column is named like a ${what} (${known.join(', ')}). The file has: ${printedText(names.join(', '))}`,
    );
  };
  const time = needed('time', TIME_NAMES);
  const price = needed('price', PRICE_NAMES);
  const size = needed('size', SIZE_NAMES);
  const symbol = columnNamed(names, SYMBOL_NAMES);
  const isDatabento = ['ts_event', 'action', 'side'].every((name) => columns.has(name));
  const isRawPrice = isDatabento && columns.get(price)!.kind === 'whole';
  const said = buyWords !== undefined && sellWords !== undefined ? { buyWords, sellWords } : null;
  const isNautilus = ['ts_event', 'aggressor_side', 'trade_id'].every((name) => columns.has(name));
  const side = isNautilus ? NAUTILUS_SIDES : sideOf(columns, names, isDatabento, said);
  const mapping: TableMapping = {
    time: { column: time, unit: 'by-digits', zone: wallZone(columns.get(time)!, time, zone) },
    price: {
      column: price,
      decimals: isNautilus ? rawDecimals(columns.get(price)!) : isRawPrice ? 9 : 0,
    },
    size: { column: size, decimals: isNautilus ? rawDecimals(columns.get(size)!) : 0 },
    side,
    symbol: symbol === null ? null : { column: symbol, isFuturesOnly: isDatabento },
    drop: isDatabento
      ? [{ column: 'action', words: ['T'], when: 'is-not', as: 'not a trade' }]
      : [],
  };
  const reasons = [
    `"${time}" is the time, "${price}" the price and "${size}" the size.`,
    symbol === null ? 'No column names the instrument.' : `"${symbol}" is the symbol.`,
    side.kind !== 'words'
      ? 'No column is named like a side: sides are unknown.'
      : `"${side.column}" is the side: ${side.buy[0]} is a buy, ${side.sell[0]} a sell.`,
  ];
  if (isNautilus) reasons.push('The columns are those of a NautilusTrader catalogue.');
  if (isDatabento) reasons.push('Only rows with the action T are trades.');
  return { mapping, reasons: reasons.map(printedText) };
}

const NAUTILUS_SIDES = {
  kind: 'words',
  column: 'aggressor_side',
  buy: ['1'],
  sell: ['2'],
  unknown: ['0', ''],
} as const;

/** Integers of 10^-9, or of 10^-16 if they have 16 bytes. */
function rawDecimals(type: TableType): number {
  if (type.kind === 'raw') return type.bytes === 16 ? 16 : 9;
  return type.kind === 'whole' ? 9 : 0;
}

/** The zone of a column's times; wall-clock times need a stated zone. */
export function wallZone(type: TableType, column: string, zone: string | null): string | null {
  const isWall = type.kind === 'timestamp' && !type.isUtc;
  if (!isWall || zone !== null) return zone;
  throw new FeedError(
    `"${printedText(column)}" has times by a wall clock and does not say of which zone: give --zone, such as UTC or America/Chicago.`,
  );
}

function sideOf(
  columns: TableColumns,
  names: readonly string[],
  isDatabento: boolean,
  said: { readonly buyWords: readonly string[]; readonly sellWords: readonly string[] } | null,
): TableMapping['side'] {
  if (isDatabento) {
    return { kind: 'words', column: 'side', buy: ['B'], sell: ['A'], unknown: ['N', ''] };
  }
  const maker = columnNamed(names, MAKER_NAMES);
  if (maker !== null && columns.get(maker)!.kind === 'boolean') {
    return { kind: 'words', column: maker, buy: ['false'], sell: ['true'], unknown: [] };
  }
  const column = columnNamed(names, SIDE_NAMES);
  if (column === null) return { kind: 'none' };
  if (said !== null) {
    return { kind: 'words', column, buy: said.buyWords, sell: said.sellWords, unknown: [''] };
  }
  // The words are unknown until they are read; ambiguous words are not among these.
  const [buy, sell] = [0, 1].map((side) => SIDE_WORDS.flatMap((pair) => spelled(pair[side]!)));
  const unknown = ['unknown', ''];
  return { kind: 'words', column, buy: buy!, sell: sell!, unknown };
}
