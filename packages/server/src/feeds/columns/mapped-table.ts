/**
 * Converts a mapping written by a person to one of typed columns. Such a file has its own types, so times are integers
 * since 1970 or timestamps, and sides are words. Text settings (delimiter, header, decimal sign) are ignored.
 */

import type { ColumnRef, CsvMapping, FeedMapping } from '../feed-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import { type TableColumns, wallZone } from './guess-table.ts';
import type { TableMapping } from './table-mapping.ts';

/** `zone` is the stated zone of wall-clock times. */
export function mappedTable(
  { time, price, size, side, symbol, drop }: FeedMapping,
  columns: TableColumns,
  zone: string | null,
): TableMapping {
  const named = <T extends { readonly column: ColumnRef }>(part: T) => {
    return { ...part, column: nameOf(part.column, columns) };
  };
  if (time.kind !== 'epoch') {
    throw new FeedError(
      `The mapping's time is of the kind "${time.kind}", which is for texts: here it must be "epoch".`,
    );
  }
  if (side.kind === 'quotes' || side.kind === 'volumes') {
    throw new FeedError(
      `The mapping's side is of the kind "${side.kind}", which is for texts: here it must be "words", "sign" or "none".`,
    );
  }
  const { column, unit } = named(time);
  const type = columns.get(column);
  return {
    time: { column, unit, zone: type === undefined ? zone : wallZone(type, column, zone) },
    price: named(price),
    size: named(size),
    side: side.kind === 'words' ? named(side) : side,
    symbol: symbol === null ? null : named(symbol),
    drop: drop.map(named),
  };
}

export function writtenMapping({ time, ...mapping }: TableMapping): CsvMapping {
  return {
    time: { kind: 'epoch', column: time.column, unit: time.unit ?? 'by-digits' },
    ...mapping,
    delimiter: ',',
    hasHeader: true,
    decimalSign: '.',
  };
}

/** Columns are numbered from 1. Whether a named column exists is checked with the file. */
function nameOf(column: ColumnRef, columns: TableColumns): string {
  if (typeof column === 'string') return column;
  const name = [...columns.keys()][column - 1];
  if (name !== undefined) return name;
  throw new FeedError(`There is no column ${column}: the file has ${columns.size}.`);
}
