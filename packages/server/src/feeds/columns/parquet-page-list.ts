/**
 * The expanded pages of one column of a row group, with values separate from their presence. The page headers were
 * checked before (`parquet-pages.ts`); here each page is checked against its own header.
 */

import { readRuns } from './parquet-runs.ts';
import { readThriftStruct, type ThriftStruct } from './thrift-struct.ts';

const [DATA, DICTIONARY, DATA_V2] = [0, 2, 3];
const HEADS = { data: 5, dictionary: 7, dataV2: 8 } as const;
const RUNS = 3;

export interface PageForm {
  readonly rows: number;
  /** Whether rows may have no value. */
  readonly isOptional: boolean;
  /** Expands to exactly `length` bytes; null: not compressed. */
  readonly expand: ((bytes: Uint8Array, length: number) => Uint8Array) | null;
}

export interface ValuePage {
  readonly kind: 'values';
  readonly encoding: number;
  readonly values: Uint8Array;
  readonly valueCount: number;
  /** The rows of the group in this page: the first, and their number. */
  readonly first: number;
  readonly count: number;
  /** Whether each row has a value; null if all have. */
  readonly present: Uint8Array | null;
}

export type ParquetPage =
  | ValuePage
  | { readonly kind: 'dictionary'; readonly values: Uint8Array; readonly count: number };

/** Throws unless the pages contain all rows of the group, each once. */
export function* pagesOf(bytes: Uint8Array, form: PageForm): Generator<ParquetPage> {
  let at = 0;
  let first = 0;
  while (first < form.rows) {
    if (at >= bytes.length)
      throw new Error('its pages have fewer values than the row group has rows');
    const head = readThriftStruct(bytes, at);
    const [kind, length, packedBytes] = [1, 2, 3].map((field) => head.numbers.get(field) ?? -1);
    const from = head.end;
    at = from + packedBytes!;
    if (length! < 0 || packedBytes! < 0 || at > bytes.length) throw new Error('a page is cut');
    const packed = bytes.subarray(from, at);
    if (kind === DICTIONARY) {
      const count = fieldOf(head.structs.get(HEADS.dictionary), 1);
      yield { kind: 'dictionary', values: expanded(packed, length!, form), count };
      continue;
    }
    if (kind !== DATA && kind !== DATA_V2) throw new Error('a page is of an unknown kind');
    const page =
      kind === DATA
        ? dataPage(head.structs.get(HEADS.data), expanded(packed, length!, form), first, form)
        : secondPage(head.structs.get(HEADS.dataV2), packed, length!, first, form);
    first += page.count;
    if (first > form.rows)
      throw new Error('its pages have more values than the row group has rows');
    yield page;
  }
}

function dataPage(
  head: ThriftStruct | undefined,
  page: Uint8Array,
  first: number,
  { isOptional }: PageForm,
): ValuePage {
  const [count, encoding] = [fieldOf(head, 1), fieldOf(head, 2)];
  if (!isOptional) {
    return {
      kind: 'values',
      encoding,
      values: page,
      valueCount: count,
      first,
      count,
      present: null,
    };
  }
  if (fieldOf(head, 3) !== RUNS) throw new Error('a page says in an unknown way which rows it has');
  if (page.length < 4) throw new Error('a page is cut');
  const length = new DataView(page.buffer, page.byteOffset).getUint32(0, true);
  if (length > page.length - 4) throw new Error('a page is cut');
  const levels = page.subarray(4, 4 + length);
  const values = page.subarray(4 + length);
  return { kind: 'values', encoding, values, first, count, ...presence(levels, count) };
}

function secondPage(
  head: ThriftStruct | undefined,
  packed: Uint8Array,
  length: number,
  first: number,
  form: PageForm,
): ValuePage {
  const [count, encoding, levelBytes] = [fieldOf(head, 1), fieldOf(head, 4), fieldOf(head, 5)];
  if (fieldOf(head, 6) !== 0) throw new Error('a page has lists');
  if (levelBytes > packed.length || levelBytes > length) throw new Error('a page is cut');
  const isPacked = head!.numbers.get(7) !== 0;
  const body = packed.subarray(levelBytes);
  const values = isPacked ? expanded(body, length - levelBytes, form) : body;
  const own = { kind: 'values', encoding, values, first, count } as const;
  if (!form.isOptional) return { ...own, valueCount: count, present: null };
  return { ...own, ...presence(packed.subarray(0, levelBytes), count) };
}

function presence(levels: Uint8Array, count: number) {
  const present = new Uint8Array(count);
  readRuns(levels, 0, levels.length, 1, present);
  let valueCount = 0;
  for (let row = 0; row < count; row += 1) valueCount += present[row]!;
  return { valueCount, present: valueCount === count ? null : present };
}

function expanded(packed: Uint8Array, length: number, { expand }: PageForm): Uint8Array {
  if (length === 0) return new Uint8Array();
  const page = expand === null ? packed : expand(packed, length);
  if (page.length !== length) throw new Error('a page does not expand to its declared length');
  return page;
}

function fieldOf(head: ThriftStruct | undefined, field: number): number {
  const value = head?.numbers.get(field) ?? -1;
  if (value < 0) throw new Error('the head of a page is damaged');
  return value;
}
