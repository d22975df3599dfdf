/**
 * Reads the directory of a zip from its end, including the zip64 forms. Only the last part of an entry's name is used,
 * and nothing is written. Encrypted entries, unknown methods, multi-disk archives and overlapping entries are rejected;
 * all numbers are checked against the file's size first.
 */

import { KIB, MIB } from '@tapeloom/core/units';
import { FeedError } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import { type ByteSource, bytesAt } from './byte-source.ts';

const END_SIGNATURE = 0x0605_4b50;
const END_BYTES = 22;
const END_64_LOCATOR_SIGNATURE = 0x0706_4b50;
const END_64_LOCATOR_BYTES = 20;
const END_64_SIGNATURE = 0x0606_4b50;
const END_64_BYTES = 56;
const ENTRY_SIGNATURE = 0x0201_4b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x0403_4b50;
const LOCAL_BYTES = 30;
const EXTRA_64 = 0x0001;
const IS_ENCRYPTED = 0x0001;
const COMMENT_BYTES_MAX = 64 * KIB;
const DIRECTORY_BYTES_MAX = 16 * MIB;
const ENTRIES_MAX = 10_000;
const METHODS: ReadonlyMap<number, ZipEntry['method']> = new Map([
  [0, 'stored'],
  [8, 'deflate'],
  [93, 'zstd'],
]);

export interface ZipEntry {
  /** The last part of its name; the rest is never shown. */
  readonly name: string;
  readonly method: 'stored' | 'deflate' | 'zstd';
  readonly packedBytes: number;
  readonly bytes: number;
  readonly crc32: number;
  readonly offset: number;
}

interface Directory {
  readonly entries: number;
  readonly offset: number;
  readonly bytes: number;
}

export async function zipEntries(source: ByteSource): Promise<readonly ZipEntry[]> {
  const directory = await findDirectory(source);
  const { entries: count, offset, bytes } = directory;
  if (count > ENTRIES_MAX || bytes > DIRECTORY_BYTES_MAX) {
    throw new FeedError(`The zip says it has ${count} entries; at most ${ENTRIES_MAX} are read.`);
  }
  if (offset + bytes > source.size) throw damaged('its directory lies outside of it');
  const view = viewOf(await bytesAt(source, offset, bytes));
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const { entry, end } = readEntry(view, at);
    if (entry !== null) entries.push(entry);
    at = end;
  }
  refuseOverlaps(entries, offset);
  return entries;
}

/** The position of an entry's packed bytes, after its local header. */
export async function zipDataOffset(source: ByteSource, entry: ZipEntry): Promise<number> {
  const local = viewOf(await bytesAt(source, entry.offset, LOCAL_BYTES));
  if (local.getUint32(0, true) !== LOCAL_SIGNATURE)
    throw damaged(`${shown(entry.name)} is not where it should be`);
  const from = entry.offset + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
  if (from + entry.packedBytes > source.size)
    throw damaged(`${shown(entry.name)} reaches beyond its end`);
  return from;
}

async function findDirectory(source: ByteSource): Promise<Directory> {
  const tailBytes = Math.min(source.size, END_BYTES + COMMENT_BYTES_MAX);
  const tail = viewOf(await bytesAt(source, source.size - tailBytes, tailBytes));
  let at = tail.byteLength - END_BYTES;
  // The record is at the very end, except for a comment whose length it contains.
  while (at >= 0 && !isEnd(tail, at)) at -= 1;
  if (at < 0) throw damaged('its end is missing, so it may have been cut');
  const isSpread = tail.getUint16(at + 4, true) !== 0 || tail.getUint16(at + 6, true) !== 0;
  const endAt = source.size - tailBytes + at;
  const large = await findLargeDirectory(source, endAt);
  if (large !== null) return large;
  if (isSpread) throw new FeedError('The zip is one part of several: put them together first.');
  return {
    entries: tail.getUint16(at + 10, true),
    bytes: tail.getUint32(at + 12, true),
    offset: tail.getUint32(at + 16, true),
  };
}

function isEnd(tail: DataView, at: number): boolean {
  if (tail.getUint32(at, true) !== END_SIGNATURE) return false;
  return at + END_BYTES + tail.getUint16(at + 20, true) === tail.byteLength;
}

async function findLargeDirectory(source: ByteSource, endAt: number): Promise<Directory | null> {
  if (endAt < END_64_LOCATOR_BYTES) return null;
  const locator = viewOf(await bytesAt(source, endAt - END_64_LOCATOR_BYTES, END_64_LOCATOR_BYTES));
  if (locator.getUint32(0, true) !== END_64_LOCATOR_SIGNATURE) return null;
  const offset = large(locator, 8);
  if (offset + END_64_BYTES > source.size) throw damaged('its directory lies outside of it');
  const end = viewOf(await bytesAt(source, offset, END_64_BYTES));
  if (end.getUint32(0, true) !== END_64_SIGNATURE)
    throw damaged('its directory is not where it should be');
  return { entries: large(end, 32), bytes: large(end, 40), offset: large(end, 48) };
}

function readEntry(
  view: DataView,
  at: number,
): { readonly entry: ZipEntry | null; readonly end: number } {
  if (at + ENTRY_BYTES > view.byteLength || view.getUint32(at, true) !== ENTRY_SIGNATURE) {
    throw damaged('its directory has fewer entries than declared');
  }
  const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
  const extraEnd = nameEnd + view.getUint16(at + 30, true);
  const end = extraEnd + view.getUint16(at + 32, true);
  if (end > view.byteLength) throw damaged('an entry reaches beyond its directory');
  const path = new TextDecoder().decode(
    new Uint8Array(view.buffer, view.byteOffset + at + ENTRY_BYTES, nameEnd - at - ENTRY_BYTES),
  );
  const name = path.split(/[/\\]/).at(-1)!;
  if (name === '') return { entry: null, end };
  if (name === '..' || name === '.') throw damaged('an entry has no name of a file');
  if ((view.getUint16(at + 8, true) & IS_ENCRYPTED) !== 0) {
    throw new FeedError(`${shown(name)} in the zip is encrypted: unpack it first.`);
  }
  const method = METHODS.get(view.getUint16(at + 10, true));
  if (method === undefined) {
    const number = view.getUint16(at + 10, true);
    throw new FeedError(
      `${shown(name)} in the zip is packed by method ${number}; stored, deflate and zstd are read.`,
    );
  }
  const sizes = largeSizes(view, at, nameEnd, extraEnd);
  return { entry: { name, method, crc32: view.getUint32(at + 16, true), ...sizes }, end };
}

/** Sizes and position, from the zip64 extra field if 32 bits do not suffice. */
function largeSizes(view: DataView, at: number, nameEnd: number, extraEnd: number) {
  const found: number[] = [];
  for (let extra = nameEnd; extra + 4 <= extraEnd; ) {
    const bytes = view.getUint16(extra + 2, true);
    if (extra + 4 + bytes > extraEnd) throw damaged('an extra field reaches beyond its entry');
    if (view.getUint16(extra, true) === EXTRA_64) {
      for (let place = 0; place + 8 <= bytes; place += 8)
        found.push(large(view, extra + 4 + place));
    }
    extra += 4 + bytes;
  }
  const take = (place: number): number => {
    const value = view.getUint32(at + place, true);
    if (value !== 0xffff_ffff) return value;
    return found.shift() ?? value;
  };
  // The order of the extra field.
  const bytes = take(24);
  const packedBytes = take(20);
  return { bytes, packedBytes, offset: take(42) };
}

/** Rejects entries that share bytes: that is how a small zip expands endlessly. */
function refuseOverlaps(entries: readonly ZipEntry[], directoryOffset: number): void {
  let end = 0;
  for (const { name, offset, packedBytes } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < end) throw damaged(`${shown(name)} stands where another entry stands`);
    end = offset + LOCAL_BYTES + packedBytes;
  }
  if (end > directoryOffset) throw damaged('an entry reaches into its directory');
}

function large(view: DataView, at: number): number {
  const value = Number(view.getBigUint64(at, true));
  if (!Number.isSafeInteger(value)) throw damaged('it has a size that cannot be');
  return value;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function shown(name: string): string {
  return `"${printedText(name)}"`;
}

function damaged(how: string): FeedError {
  return new FeedError(`The zip is damaged: ${how}.`);
}
