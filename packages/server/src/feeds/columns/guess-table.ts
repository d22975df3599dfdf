/**
 * Which columns of a table are time, price, size, side and symbol, by their names and types. Nothing is chosen that could
 * be meant in two ways: such a table is refused with what would have to be said.
 */

import {
  BUY_WORDS,
  columnNamed,
  MAKER_NAMES,
  PRICE_NAMES,
  SELL_WORDS,
  SIDE_NAMES,
  SIZE_NAMES,
  SYMBOL_NAMES,
  TIME_NAMES,
} from '../column-names.ts';
import { FeedError } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import type { TableMapping, TableType } from './table-trades.ts';

export type TableColumns = ReadonlyMap<string, TableType>;

/** `zone` is the one that was said for times by a wall clock. */
export function guessTable(
  columns: TableColumns,
  zone: string | null,
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
  const side = sideOf(columns, names, isDatabento);
  const mapping: TableMapping = {
    time: { column: time, unit: 'by-digits', zone: wallZone(columns.get(time)!, time, zone) },
    price: { column: price, decimals: isRawPrice ? 9 : 0 },
    size: { column: size, decimals: 0 },
    side,
    symbol: symbol === null ? null : { column: symbol, isFuturesOnly: isDatabento },
    drop: isDatabento
      ? [{ column: 'action', words: ['T'], when: 'is-not', as: 'not a trade' }]
      : [],
  };
  const reasons = [
    `"${time}" is the time, "${price}" the price and "${size}" the size.`,
    symbol === null ? 'No column names the instrument.' : `"${symbol}" is the symbol.`,
    side.kind === 'none'
      ? 'No column is named like a side: sides are unknown.'
      : `"${side.column}" is the side: ${side.buy[0]} is a buy, ${side.sell[0]} a sell.`,
  ];
  if (isDatabento) reasons.push('Only rows with the action T are trades.');
  return { mapping, reasons: reasons.map(printedText) };
}

/** The zone of a column's times, if they are by a wall clock: then one must have been said. */
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
  const unknown = ['unknown', ''];
  return { kind: 'words', column, buy: BUY_WORDS, sell: SELL_WORDS, unknown };
}
