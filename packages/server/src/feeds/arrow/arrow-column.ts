/**
 * The values of a stored column, one at a time. Each buffer must hold as many values as the column has rows; the
 * positions of texts are checked for each text.
 */

import {
  NO_WORD,
  type NumberArray,
  type StoredValues,
  WordCodes,
} from '../columns/stored-values.ts';
import type { TableColumn } from '../columns/table-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import type { StoredColumn } from './arrow-batch.ts';

type At = TableColumn['at'];

const VIEW_BYTES = 16;
/** Texts up to this length are inside the view. */
const SHORT_BYTES_MAX = 12;
/** Longer than any symbol, side or number; many values may share one position. */
const TEXT_BYTES_MAX = 4_096;

/** Null without a value, else a value of the column's type. */
export function valuesOf(column: StoredColumn): At {
  const { rows, nulls } = column;
  const at = storedValues(column);
  if (nulls === null) return at;
  requireBytes(column, nulls, rows, 1 / 8);
  return (row) => (isSet(nulls, row) ? at(row) : null);
}

/**
 * The same values as stored in memory, of a column that `valuesOf` has accepted: numbers without nulls, and short
 * texts. Null for others, and if a text lies outside its buffer, which is reported when that text is read.
 */
export function storedOf({ layout, rows, nulls, buffers }: StoredColumn): StoredValues | null {
  const [first = new Uint8Array(), second = new Uint8Array()] = buffers;
  if (layout.kind === 'text') {
    return layout.offsetBytes === 4 ? wordsOf(aligned(first, 4), second, rows, nulls) : null;
  }
  if (layout.kind === 'view') return shortWordsOf(first, rows, nulls);
  if (nulls !== null || (layout.kind !== 'int' && layout.kind !== 'float')) return null;
  const bytes = aligned(first, layout.bytes);
  const { buffer, byteOffset: at } = bytes;
  if (layout.kind === 'float') {
    const values =
      layout.bytes === 8 ? new Float64Array(buffer, at, rows) : new Float32Array(buffer, at, rows);
    return { kind: 'numbers', values };
  }
  const { isSigned } = layout;
  if (layout.bytes === 8) {
    return { kind: 'halves', values: new Uint32Array(buffer, at, rows * 2), isSigned };
  }
  const Ints = INT_ARRAYS[layout.bytes][isSigned ? 0 : 1];
  return { kind: 'numbers', values: new Ints(buffer, at, rows) };
}

/** The words of a column of dictionary indexes; null if a value is no text, or an index is invalid. */
export function dictionaryWords(
  places: StoredColumn,
  values: readonly unknown[],
): StoredValues | null {
  const { nulls, rows } = places;
  const indexes = storedOf({ ...places, nulls: null });
  if (indexes?.kind !== 'numbers' || values.length >= NO_WORD) return null;
  if (!values.every((value) => typeof value === 'string')) return null;
  const codes = new Uint32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const index = indexes.values[row]!;
    if (nulls !== null && !isSet(nulls, row)) codes[row] = NO_WORD;
    else if (index >= 0 && index < values.length) codes[row] = index;
    else return null;
  }
  return { kind: 'words', codes, words: values };
}

type IntArray = new (buffer: ArrayBufferLike, at: number, length: number) => NumberArray;
/** By width: signed, then unsigned. */
const INT_ARRAYS: Readonly<Record<1 | 2 | 4, readonly [IntArray, IntArray]>> = {
  1: [Int8Array, Uint8Array],
  2: [Int16Array, Uint16Array],
  4: [Int32Array, Uint32Array],
};

function wordsOf(
  offsets: Uint8Array,
  data: Uint8Array,
  rows: number,
  nulls: Uint8Array | null,
): StoredValues | null {
  const known = new WordCodes();
  const codes = new Uint32Array(rows);
  const ends = new Int32Array(offsets.buffer, offsets.byteOffset, rows === 0 ? 0 : rows + 1);
  for (let row = 0; row < rows; row += 1) {
    if (nulls !== null && !isSet(nulls, row)) {
      codes[row] = NO_WORD;
      continue;
    }
    const [from, to] = [ends[row]!, ends[row + 1]!];
    if (from < 0 || to < from || to > data.length) return null;
    const code = known.codeOf(data, from, to);
    if (code === null) return null;
    codes[row] = code;
  }
  return { kind: 'words', codes, words: known.words };
}

/** Texts inside their views; null if one is not. */
function shortWordsOf(
  views: Uint8Array,
  rows: number,
  nulls: Uint8Array | null,
): StoredValues | null {
  const known = new WordCodes();
  const codes = new Uint32Array(rows);
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  for (let row = 0; row < rows; row += 1) {
    if (nulls !== null && !isSet(nulls, row)) {
      codes[row] = NO_WORD;
      continue;
    }
    const at = row * VIEW_BYTES + 4;
    const bytes = view.getInt32(at - 4, true);
    const isShort = bytes >= 0 && bytes <= SHORT_BYTES_MAX;
    const code = isShort ? known.codeOf(views, at, at + bytes) : null;
    if (code === null) return null;
    codes[row] = code;
  }
  return { kind: 'words', codes, words: known.words };
}

function aligned(bytes: Uint8Array, width: number): Uint8Array {
  return bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
}

function storedValues(column: StoredColumn): At {
  const { layout, rows, buffers, name } = column;
  const [first = new Uint8Array()] = buffers;
  const view = new DataView(first.buffer, first.byteOffset, first.byteLength);
  switch (layout.kind) {
    case 'int':
      requireBytes(column, first, rows, layout.bytes);
      return ints(view, layout.bytes, layout.isSigned);
    case 'float':
      requireBytes(column, first, rows, layout.bytes);
      return layout.bytes === 8
        ? (row) => view.getFloat64(row * 8, true)
        : (row) => view.getFloat32(row * 4, true);
    case 'decimal':
      requireBytes(column, first, rows, layout.bytes);
      return (row) => wholeAt(view, row * layout.bytes, layout.bytes);
    case 'bit':
      requireBytes(column, first, rows, 1 / 8);
      return (row) => isSet(first, row);
    case 'text':
      // Without rows there may be no offset at all.
      if (rows > 0) requireBytes(column, first, rows + 1, layout.offsetBytes);
      return texts(column, view, layout.offsetBytes);
    case 'view':
      requireBytes(column, first, rows, VIEW_BYTES);
      return viewedTexts(column, view);
    case 'other':
      throw new FeedError(
        `The column "${printedText(name)}" has values of a type that is not read.`,
      );
    default:
      return layout satisfies never;
  }
}

function ints(view: DataView, bytes: 1 | 2 | 4 | 8, isSigned: boolean): At {
  switch (bytes) {
    case 1:
      return isSigned ? (row) => view.getInt8(row) : (row) => view.getUint8(row);
    case 2:
      return isSigned
        ? (row) => view.getInt16(row * 2, true)
        : (row) => view.getUint16(row * 2, true);
    case 4:
      return isSigned
        ? (row) => view.getInt32(row * 4, true)
        : (row) => view.getUint32(row * 4, true);
    case 8:
      return isSigned
        ? (row) => view.getBigInt64(row * 8, true)
        : (row) => view.getBigUint64(row * 8, true);
    default:
      return bytes satisfies never;
  }
}

/** A signed little-endian integer of any length. */
function wholeAt(view: DataView, at: number, bytes: number): bigint {
  if (bytes === 4) return BigInt(view.getInt32(at, true));
  let value = view.getBigInt64(at + bytes - 8, true);
  for (let low = bytes - 16; low >= 0; low -= 8) {
    value = value * 2n ** 64n + view.getBigUint64(at + low, true);
  }
  return value;
}

function texts(column: StoredColumn, offsets: DataView, offsetBytes: 4 | 8): At {
  const data = bufferOf(column.buffers[1]!);
  const offset = (index: number) =>
    offsetBytes === 4
      ? offsets.getInt32(index * 4, true)
      : Number(offsets.getBigInt64(index * 8, true));
  return (row) => {
    const [from, to] = [offset(row), offset(row + 1)];
    if (from < 0 || to < from || to > data.length) throw damaged(column);
    return textOf(data, from, to, column);
  };
}

function viewedTexts(column: StoredColumn, views: DataView): At {
  const [first, ...others] = column.buffers.map(bufferOf);
  return (row) => {
    const at = row * VIEW_BYTES;
    const bytes = views.getInt32(at, true);
    if (bytes >= 0 && bytes <= SHORT_BYTES_MAX)
      return first!.toString('utf8', at + 4, at + 4 + bytes);
    const data = others[views.getInt32(at + 8, true)];
    const from = views.getInt32(at + 12, true);
    if (bytes < 0 || data === undefined || from < 0 || from + bytes > data.length) {
      throw damaged(column);
    }
    return textOf(data, from, from + bytes, column);
  };
}

function textOf(data: Buffer, from: number, to: number, { name }: StoredColumn): string {
  if (to - from <= TEXT_BYTES_MAX) return data.toString('utf8', from, to);
  throw new FeedError(
    `The column "${printedText(name)}" has a text of ${to - from} bytes; up to ${TEXT_BYTES_MAX} are read.`,
  );
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function isSet(bits: Uint8Array, index: number): boolean {
  return ((bits[Math.floor(index / 8)]! >> (index % 8)) & 1) === 1;
}

function requireBytes(
  column: StoredColumn,
  buffer: Uint8Array,
  values: number,
  bytes: number,
): void {
  if (buffer.length < values * bytes) throw damaged(column);
}

function damaged({ name }: StoredColumn): FeedError {
  return new FeedError(
    `The Arrow file is damaged: the column "${printedText(name)}" has fewer bytes than its values need.`,
  );
}
