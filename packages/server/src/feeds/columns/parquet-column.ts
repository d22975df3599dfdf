/**
 * Reads one column of a row group to typed memory: plain and dictionary values, and texts as deltas, in pages of both
 * versions. Other encodings (deltas of numbers, other types) are left to the library. Every length is checked before
 * use, and work and memory are bounded by the group's rows and the pages' bytes.
 */

import type { ColumnMetaData, SchemaElement } from 'hyparquet';
import { deltaWordCodes } from './parquet-deltas.ts';
import { EXPANDERS } from './parquet-expanders.ts';
import { type PageForm, pagesOf, type ValuePage } from './parquet-page-list.ts';
import { readRuns } from './parquet-runs.ts';
import { NO_WORD, type StoredValues, storedValueAt, WordCodes } from './stored-values.ts';
import type { TableColumn, TableType } from './table-mapping.ts';

const PLAIN = 0;
const DICTIONARY_ENCODINGS = [2, 8];
const RUNS = 3;
const DELTA_TEXTS = 7;
/** The encodings with runs of indexes that the library reads. */
const INDEXED_ENCODINGS = [...DICTIONARY_ENCODINGS, RUNS];
/** Wider indexes would mean a dictionary with more values than a row group has rows. */
const INDEX_BITS_MAX = 25;

/** The stored type of a column; booleans are words. */
type StoredKind = 'int32' | 'int64' | 'float' | 'double' | 'words' | 'booleans';

interface ParquetValues {
  readonly stored: StoredValues;
  /** Rows without a value; null if there are none. Words mark missing values themselves. */
  readonly nulls: Uint8Array | null;
}

const WIDTHS = { int32: 4, float: 4, int64: 8, double: 8 } as const;
/** Without one of these types, texts are bytes. */
const WORD_TYPES = new Set(['', 'UTF8', 'STRING', 'ENUM']);
const WHOLE_TYPES = /^(?:|U?INT_\d+|INTEGER)$/;
const BOOLEAN_WORDS = ['false', 'true'];

/** The column by row; null if the library must read it. `element` is the stored type, `type` its meaning. */
export function storedColumn(
  bytes: Uint8Array,
  element: SchemaElement,
  column: ColumnMetaData,
  type: TableType,
  rows: number,
): TableColumn | null {
  const isPlain = column.path_in_schema.length === 1 && column.type === element.type;
  const kind = isPlain ? kindOf(element, type) : null;
  const expand = EXPANDERS[column.codec];
  if (kind === null || expand === undefined) return null;
  const form = { rows, isOptional: element.repetition_type === 'OPTIONAL', expand };
  const values = readStoredColumn(bytes, kind, isUnsigned(element), form);
  if (values === null) return null;
  const { stored, nulls } = values;
  const at = storedValueAt(stored, type.kind);
  if (nulls === null) return { type, at, stored };
  return { type, at: (row) => (nulls[row] === 1 ? null : at(row)), stored: null };
}

/**
 * Throws if pages that the library reads have runs beyond their end. The library would follow those forever, or until a
 * list exceeds its thread's heap at once, which ends the whole process and not only the thread.
 */
export function checkRuns(
  bytes: Uint8Array,
  { type, repetition_type: repetition }: SchemaElement,
  { codec }: ColumnMetaData,
  rows: number,
): void {
  const expand = EXPANDERS[codec];
  // The library rejects unknown codecs.
  if (expand === undefined) return;
  for (const page of pagesOf(bytes, { rows, isOptional: repetition === 'OPTIONAL', expand })) {
    if (page.kind === 'dictionary' || !INDEXED_ENCODINGS.includes(page.encoding)) continue;
    if (type === 'BOOLEAN') {
      codesOfBooleans(page);
      continue;
    }
    const { values, valueCount } = page;
    // With zero bits there may be no runs.
    if (values[0] === 0 && values.length > 1)
      readRuns(values, 1, values.length, 0, new Uint8Array(valueCount));
    indexesOf(values, valueCount);
  }
}

function kindOf(
  { type, converted_type: converted, logical_type: logical }: SchemaElement,
  { kind }: TableType,
): StoredKind | null {
  const isText = WORD_TYPES.has(converted ?? '') && WORD_TYPES.has(logical?.type ?? '');
  const isWhole = WHOLE_TYPES.test(converted ?? '') && WHOLE_TYPES.test(logical?.type ?? '');
  if (type === 'BYTE_ARRAY') return kind === 'text' && isText ? 'words' : null;
  if (type === 'BOOLEAN') return kind === 'boolean' ? 'booleans' : null;
  if (type === 'DOUBLE' || type === 'FLOAT') return type === 'DOUBLE' ? 'double' : 'float';
  if (type !== 'INT32' && type !== 'INT64') return null;
  // The library converts dates and times of day.
  if (kind === 'whole' && !isWhole) return null;
  return type === 'INT32' ? 'int32' : 'int64';
}

function isUnsigned({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  if (converted === 'UINT_64' || converted === 'UINT_32') return true;
  return logical?.type === 'INTEGER' && logical.bitWidth >= 32 && !logical.isSigned;
}

/** Null if the library must read it. Throws if the bytes are no such column. */
function readStoredColumn(
  bytes: Uint8Array,
  kind: StoredKind,
  isUnsigned: boolean,
  form: PageForm,
): ParquetValues | null {
  const { rows } = form;
  if (kind === 'words' || kind === 'booleans') return readWords(bytes, kind, form);
  const width = WIDTHS[kind];
  const memory = new Uint8Array(rows * width);
  let dictionary: Uint32Array | null = null;
  let nulls: Uint8Array | null = null;
  for (const page of pagesOf(bytes, form)) {
    if (page.kind === 'dictionary') {
      // In its own memory, aligned for 32-bit words.
      dictionary = new Uint32Array(new Uint8Array(bytesOf(page.values, page.count * width)).buffer);
      continue;
    }
    const values = valuesOf(page, dictionary, width);
    if (values === null) return null;
    const { present, first, count } = page;
    if (present === null) memory.set(values, first * width);
    else {
      nulls ??= new Uint8Array(rows);
      for (let row = 0, from = 0; row < count; row += 1) {
        if (present[row] === 1) {
          const to = (first + row) * width;
          for (let byte = 0; byte < width; byte += 1) memory[to + byte] = values[from + byte]!;
          from += width;
        } else nulls[first + row] = 1;
      }
    }
  }
  return { stored: typed(memory, kind, isUnsigned), nulls };
}

/** The values of a page as bytes; null for another encoding. */
function valuesOf(
  { values, encoding, valueCount }: ValuePage,
  dictionary: Uint32Array | null,
  width: 4 | 8,
): Uint8Array | null {
  if (encoding === PLAIN) return bytesOf(values, valueCount * width);
  if (!DICTIONARY_ENCODINGS.includes(encoding) || dictionary === null) return null;
  const indexes = indexesOf(values, valueCount);
  const expanded = new Uint8Array(valueCount * width);
  const into = new Uint32Array(expanded.buffer);
  const entries = (dictionary.length * 4) / width;
  for (let value = 0; value < valueCount; value += 1) {
    const index = indexes[value]!;
    if (index >= entries) throw new Error('a page means a value that its dictionary does not have');
    if (width === 4) into[value] = dictionary[index]!;
    else {
      into[2 * value] = dictionary[2 * index]!;
      into[2 * value + 1] = dictionary[2 * index + 1]!;
    }
  }
  return expanded;
}

function readWords(
  bytes: Uint8Array,
  kind: 'words' | 'booleans',
  form: PageForm,
): ParquetValues | null {
  const known = new WordCodes();
  const codes = new Uint32Array(form.rows).fill(NO_WORD);
  let dictionary: Uint32Array | null = null;
  for (const page of pagesOf(bytes, form)) {
    if (page.kind === 'dictionary') {
      if (kind === 'booleans') return null;
      dictionary = wordCodes(page.values, page.count, known);
      if (dictionary === null) return null;
      continue;
    }
    const found = kind === 'words' ? codesOfWords(page, dictionary, known) : codesOfBooleans(page);
    if (found === null) return null;
    const { present, first, count } = page;
    if (present === null) codes.set(found, first);
    else {
      for (let row = 0, value = 0; row < count; row += 1) {
        if (present[row] !== 1) continue;
        codes[first + row] = found[value]!;
        value += 1;
      }
    }
  }
  const words = kind === 'words' ? known.words : BOOLEAN_WORDS;
  return { stored: { kind: 'words', codes, words }, nulls: null };
}

function codesOfWords(
  { values, encoding, valueCount }: ValuePage,
  dictionary: Uint32Array | null,
  known: WordCodes,
): Uint32Array | null {
  if (encoding === PLAIN) return wordCodes(values, valueCount, known);
  if (encoding === DELTA_TEXTS) return deltaWordCodes(values, valueCount, known);
  if (!DICTIONARY_ENCODINGS.includes(encoding) || dictionary === null) return null;
  const indexes = indexesOf(values, valueCount);
  for (let value = 0; value < valueCount; value += 1) {
    const index = indexes[value]!;
    if (index >= dictionary.length) {
      throw new Error('a page means a value that its dictionary does not have');
    }
    indexes[value] = dictionary[index]!;
  }
  return indexes;
}

/** The codes of consecutive words, each after its length; null if there are too many for codes. */
function wordCodes(bytes: Uint8Array, count: number, known: WordCodes): Uint32Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Each has at least its length.
  if (count * 4 > bytes.length) throw new Error('a page has fewer words than declared');
  const codes = new Uint32Array(count);
  let at = 0;
  for (let word = 0; word < count; word += 1) {
    if (at + 4 > bytes.length) throw new Error('a page has fewer words than declared');
    const from = at + 4;
    at = from + view.getUint32(at, true);
    if (at > bytes.length) throw new Error('a word goes on behind its page');
    const code = known.codeOf(bytes, from, at);
    if (code === null) return null;
    codes[word] = code;
  }
  return codes;
}

function codesOfBooleans({ values, encoding, valueCount }: ValuePage): Uint32Array | null {
  const codes = new Uint32Array(valueCount);
  if (encoding === RUNS) {
    // The length of the runs comes first.
    if (values.length < 4) throw new Error('a page is cut');
    readRuns(values, 4, values.length, 1, codes);
    return codes;
  }
  if (encoding !== PLAIN) return null;
  const bits = bytesOf(values, Math.ceil(valueCount / 8));
  for (let value = 0; value < valueCount; value += 1) {
    codes[value] = (bits[value >> 3]! >> (value & 7)) & 1;
  }
  return codes;
}

function indexesOf(values: Uint8Array, count: number): Uint32Array {
  const indexes = new Uint32Array(count);
  if (count === 0) return indexes;
  const bits = values[0];
  if (bits === undefined || bits > INDEX_BITS_MAX)
    throw new Error('a page has indexes of no width');
  if (bits > 0) readRuns(values, 1, values.length, bits, indexes);
  return indexes;
}

function bytesOf(values: Uint8Array, bytes: number): Uint8Array {
  if (values.length < bytes) throw new Error('a page has fewer values than declared');
  return values.subarray(0, bytes);
}

function typed(memory: Uint8Array, kind: keyof typeof WIDTHS, isUnsigned: boolean): StoredValues {
  const buffer = memory.buffer as ArrayBuffer;
  switch (kind) {
    case 'int32': {
      const values = isUnsigned ? new Uint32Array(buffer) : new Int32Array(buffer);
      return { kind: 'numbers', values };
    }
    case 'int64':
      return { kind: 'halves', values: new Uint32Array(buffer), isSigned: !isUnsigned };
    case 'float':
      return { kind: 'numbers', values: new Float32Array(buffer) };
    case 'double':
      return { kind: 'numbers', values: new Float64Array(buffer) };
    default:
      return kind satisfies never;
  }
}
