/**
 * Checks the descriptions in a Parquet file before the library uses them: the footer, and the page headers of a column.
 * Lengths must lie inside the file, and value counts must not exceed the rows of the row group.
 */

import { MIB } from '@tapeloom/core/units';
import type { ColumnMetaData } from 'hyparquet';
import { type ByteSource, bytesAt } from '../packed/byte-source.ts';
import { readThriftStruct, type ThriftStruct } from './thrift-struct.ts';

/** The limit for the wanted columns of a row group, expanded. */
export const GROUP_BYTES_MAX = 256 * MIB;
export const GROUP_ROWS_MAX = 2 ** 24;
/** The limit for columns that the library reads as lists of numbers, which must fit into a thread's heap. */
export const LIBRARY_ROWS_MAX = 2 ** 22;
const DESCRIPTION_BYTES_MAX = 64 * MIB;
/** The footer's length, and a magic number. */
const SUFFIX_BYTES = 8;
const DICTIONARY_PAGE = 2;
/** The header fields of data pages, versions 1 and 2, and of a dictionary. */
const VALUE_HEADS = [5, 8];
const DICTIONARY_HEAD = 7;

/** Throws if the footer is invalid or incomplete. */
export async function checkDescription(source: ByteSource): Promise<void> {
  if (source.size < SUFFIX_BYTES + 4) throw new Error('it is too short');
  const suffix = await bytesAt(source, source.size - SUFFIX_BYTES, SUFFIX_BYTES);
  const bytes = new DataView(suffix.buffer, suffix.byteOffset).getUint32(0, true);
  const at = source.size - SUFFIX_BYTES - bytes;
  if (at < 0) throw new Error('its description is longer than the file: was it cut?');
  if (bytes > DESCRIPTION_BYTES_MAX) {
    throw new Error(`its description is longer than ${DESCRIPTION_BYTES_MAX / MIB} MiB`);
  }
  readThriftStruct(await bytesAt(source, at, bytes), 0);
}

export async function columnBytes(
  source: ByteSource,
  { dictionary_page_offset: dictionaryAt, data_page_offset: dataAt, ...column }: ColumnMetaData,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly at: number }> {
  const at = Number(dictionaryAt || dataAt);
  const count = Number(column.total_compressed_size);
  if (!(at >= 0 && count >= 0 && at + count <= source.size)) {
    throw new Error('it lies outside of the file');
  }
  if (count > GROUP_BYTES_MAX) throw new Error(`it has more than ${GROUP_BYTES_MAX / MIB} MiB`);
  return { bytes: await bytesAt(source, at, count), at };
}

/** Throws if a page header is impossible for a column with this many rows. */
export function checkPages(bytes: Uint8Array, rows: number): void {
  let values = 0;
  let expanded = 0;
  // The library reads until it has all rows, and nothing after them.
  for (let at = 0; at < bytes.length - 1 && values < rows; ) {
    const page = readThriftStruct(bytes, at);
    const [expandedBytes, packedBytes] = [page.numbers.get(2), page.numbers.get(3)];
    if (!isCount(expandedBytes) || !isCount(packedBytes)) throw new Error('a page has no length');
    at = page.end + packedBytes;
    if (at > bytes.length) throw new Error('a page goes on behind its column');
    expanded += expandedBytes;
    if (expanded > GROUP_BYTES_MAX) {
      throw new Error(`its pages expand to more than ${GROUP_BYTES_MAX / MIB} MiB`);
    }
    const isDictionary = page.numbers.get(1) === DICTIONARY_PAGE;
    const count = valuesOf(page, isDictionary);
    if (count > rows) throw new Error('a page has more values than the row group has rows');
    if (!isDictionary) values += count;
  }
  if (values > rows) throw new Error('its pages have more values than the row group has rows');
}

function valuesOf({ structs }: ThriftStruct, isDictionary: boolean): number {
  let most = 0;
  for (const field of isDictionary ? [DICTIONARY_HEAD] : VALUE_HEADS) {
    const head = structs.get(field);
    if (head === undefined) continue;
    for (const number of [1, 2, 3]) {
      const count = head.numbers.get(number) ?? 0;
      if (count < 0) throw new Error('a page has fewer than no values');
    }
    const [values, nulls] = [head.numbers.get(1) ?? 0, head.numbers.get(2) ?? 0];
    if (field === 8 && nulls > values) throw new Error('a page has more nulls than values');
    most = Math.max(most, values);
  }
  return most;
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && value >= 0;
}
