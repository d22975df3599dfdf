/**
 * The columns of an Arrow file: how each is stored, and its type in a table of trades. Unsupported and nested columns
 * are parsed only as far as needed to locate the others.
 */

import type { TableType } from '../columns/table-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import type { FlatTable } from './flat-table.ts';

/** Nested columns count too. A description may repeat the same one a million times. */
const FIELDS_MAX = 10_000;
const DEPTH_MAX = 32;
const UNITS = ['s', 'ms', 'us', 'ns'] as const;

/** The layout of values in buffers; the first buffer holds the nulls, except for `other`. */
export type ArrowLayout =
  | { readonly kind: 'int'; readonly bytes: 1 | 2 | 4 | 8; readonly isSigned: boolean }
  | { readonly kind: 'float'; readonly bytes: 4 | 8 }
  | { readonly kind: 'decimal'; readonly bytes: number }
  | { readonly kind: 'bit' }
  /** Offsets of this width, then the text. */
  | { readonly kind: 'text'; readonly offsetBytes: 4 | 8 }
  /** 16 bytes for each value, which contain short texts; then any number of buffers with the others. */
  | { readonly kind: 'view' }
  /** Not read: this many buffers are skipped, and for views the following ones. */
  | { readonly kind: 'other'; readonly buffers: number; readonly isView: boolean };

export interface ArrowField {
  readonly name: string;
  readonly layout: ArrowLayout;
  /** The type of its values; null if they are not read. */
  readonly type: TableType | null;
  readonly children: readonly ArrowField[];
  /** For a column of indexes into a dictionary. */
  readonly dictionary: { readonly id: number; readonly values: ArrowLayout } | null;
}

interface Stored {
  readonly layout: ArrowLayout;
  readonly type: TableType | null;
}

export function readSchema(schema: FlatTable, isOldUnion: boolean): readonly ArrowField[] {
  if (schema.number(0, 'i16') !== 0) {
    throw new FeedError('The Arrow file has its numbers with the high byte first: not read.');
  }
  let fields = 0;
  const fieldOf = (table: FlatTable, depth: number): ArrowField => {
    fields += 1;
    if (fields > FIELDS_MAX || depth > DEPTH_MAX) {
      throw new FeedError(`The Arrow file has more than ${FIELDS_MAX} columns, or too deep ones.`);
    }
    const stored = storedOf(table.number(2, 'u8'), table.table(3), isOldUnion);
    const encoding = table.table(4);
    const children: ArrowField[] = [];
    for (const child of table.tables(5)) children.push(fieldOf(child, depth + 1));
    const name = table.text(0) ?? '';
    if (encoding === null) return { name, ...stored, children, dictionary: null };
    // By default, indexes are signed 32-bit integers.
    const index = encoding.table(1);
    const places = index === null ? intOf(32, true) : intLayout(index);
    const id = encoding.number(0, 'i64');
    // The children of the type belong to the dictionary's values.
    return {
      name,
      layout: places ?? other(2),
      type: places === null ? null : stored.type,
      children: [],
      dictionary: { id, values: stored.layout },
    };
  };
  const columns: ArrowField[] = [];
  for (const table of schema.tables(1)) columns.push(fieldOf(table, 0));
  return columns;
}

/** The number of a column's buffers before those of its children; views have more, as stated in the batch. */
export function bufferCount(layout: ArrowLayout): number {
  if (layout.kind === 'other') return layout.buffers;
  return layout.kind === 'text' ? 3 : 2;
}

export function isView(layout: ArrowLayout): boolean {
  return layout.kind === 'view' || (layout.kind === 'other' && layout.isView);
}

function storedOf(number: number, type: FlatTable | null, isOldUnion: boolean): Stored {
  if (type === null) throw new FeedError('The Arrow file has a column without a type.');
  switch (number) {
    case 2:
      return read(intLayout(type), { kind: 'whole' });
    case 3:
      return floatOf(type.number(0, 'i16'));
    case 5:
      return { layout: { kind: 'text', offsetBytes: 4 }, type: { kind: 'text' } };
    case 6:
      return { layout: { kind: 'bit' }, type: { kind: 'boolean' } };
    case 7:
      return decimalOf(type.number(1, 'i32'), type.number(2, 'i32', 128));
    case 10: {
      const unit = UNITS[type.number(0, 'i16')];
      const isUtc = (type.text(1) ?? '') !== '';
      return unit === undefined
        ? unread(2)
        : read(intOf(64, true), { kind: 'timestamp', unit, isUtc });
    }
    case 20:
      return { layout: { kind: 'text', offsetBytes: 8 }, type: { kind: 'text' } };
    case 24:
      return { layout: { kind: 'view' }, type: { kind: 'text' } };
    default:
      return unread(othersBuffers(number, type, isOldUnion), number === 23);
  }
}

function othersBuffers(number: number, type: FlatTable, isOldUnion: boolean): number {
  switch (number) {
    // The null type; and run-end encoding, whose ends and values are children.
    case 1:
    case 22:
      return 0;
    // Structures and fixed-size lists.
    case 13:
    case 16:
      return 1;
    case 14:
      return (type.number(0, 'i16') === 0 ? 1 : 2) + (isOldUnion ? 1 : 0);
    // Binary of any length, and list views, with offsets and sizes.
    case 4:
    case 19:
    case 25:
    case 26:
      return 3;
    // Dates, times, intervals, durations, fixed-size binary, binary views; lists and maps.
    case 8:
    case 9:
    case 11:
    case 12:
    case 15:
    case 17:
    case 18:
    case 21:
    case 23:
      return 2;
    default:
      throw new FeedError(`The Arrow file has a column of a type that is not known (${number}).`);
  }
}

function intLayout(type: FlatTable): ArrowLayout | null {
  return intOf(type.number(0, 'i32'), type.number(1, 'u8') !== 0);
}

function intOf(bits: number, isSigned: boolean): ArrowLayout | null {
  const bytes = bits / 8;
  if (bytes !== 1 && bytes !== 2 && bytes !== 4 && bytes !== 8) return null;
  return { kind: 'int', bytes, isSigned };
}

function floatOf(precision: number): Stored {
  if (precision !== 1 && precision !== 2) return unread(2);
  return { layout: { kind: 'float', bytes: precision === 1 ? 4 : 8 }, type: { kind: 'float' } };
}

function decimalOf(decimals: number, bits: number): Stored {
  if (![32, 64, 128, 256].includes(bits) || Math.abs(decimals) > 100) return unread(2);
  return { layout: { kind: 'decimal', bytes: bits / 8 }, type: { kind: 'decimal', decimals } };
}

function read(layout: ArrowLayout | null, type: TableType): Stored {
  return layout === null ? unread(2) : { layout, type };
}

function unread(buffers: number, isOfViews = false): Stored {
  return { layout: other(buffers, isOfViews), type: null };
}

function other(buffers: number, isOfViews = false): ArrowLayout {
  return { kind: 'other', buffers, isView: isOfViews };
}
