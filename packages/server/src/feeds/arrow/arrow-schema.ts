/**
 * The columns of an Arrow file: how each is stored, and what its values are to a table of trades. Columns of other types,
 * and those inside of others, are known as far as it takes to find the ones beside them.
 */

import type { TableType } from '../columns/table-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import type { FlatTable } from './flat-table.ts';

/** Columns inside of columns are counted too. A description may say one and the same a million times. */
const FIELDS_MAX = 10_000;
const DEPTH_MAX = 32;
const UNITS = ['s', 'ms', 'us', 'ns'] as const;

/** How values lie in their buffers, of which the first says which are null, unless `other`. */
export type ArrowLayout =
  | { readonly kind: 'int'; readonly bytes: 1 | 2 | 4 | 8; readonly isSigned: boolean }
  | { readonly kind: 'float'; readonly bytes: 4 | 8 }
  | { readonly kind: 'decimal'; readonly bytes: number }
  | { readonly kind: 'bit' }
  /** Offsets of so many bytes, then the text. */
  | { readonly kind: 'text'; readonly offsetBytes: 4 | 8 }
  /** 16 bytes for each, with short texts in them; then any number of buffers with the others. */
  | { readonly kind: 'view' }
  /** Not read: so many buffers are passed by, and for views those that follow. */
  | { readonly kind: 'other'; readonly buffers: number; readonly isView: boolean };

export interface ArrowField {
  readonly name: string;
  readonly layout: ArrowLayout;
  /** What its values are; null where they are none that are read. */
  readonly type: TableType | null;
  readonly children: readonly ArrowField[];
  /** Of a column that has the places of its values in a dictionary. */
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
    // Without a type of their own, places are signed and have 32 bits.
    const index = encoding.table(1);
    const places = index === null ? intOf(32, true) : intLayout(index);
    const id = encoding.number(0, 'i64');
    // What a value is made of stands with the values.
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

/** How many buffers a column has before those of its children; views have more, as the batch says. */
export function bufferCount(layout: ArrowLayout): number {
  if (layout.kind === 'other') return layout.buffers;
  return layout.kind === 'text' ? 3 : 2;
}

export function isView(layout: ArrowLayout): boolean {
  return layout.kind === 'view' || (layout.kind === 'other' && layout.isView);
}

/** By the number that Arrow gives to each type. */
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

/** Of types whose values are not read. */
function othersBuffers(number: number, type: FlatTable, isOldUnion: boolean): number {
  switch (number) {
    // Nothing but nulls, and runs, whose ends and values are children.
    case 1:
    case 22:
      return 0;
    // Structures and lists of a fixed length.
    case 13:
    case 16:
      return 1;
    case 14:
      return (type.number(0, 'i16') === 0 ? 1 : 2) + (isOldUnion ? 1 : 0);
    // Bytes of any length, and lists that say where each begins and how long it is.
    case 4:
    case 19:
    case 25:
    case 26:
      return 3;
    // Dates, times, intervals, durations, bytes of one length, views of bytes; lists and maps.
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
