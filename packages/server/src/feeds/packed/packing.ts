/**
 * Recognises packed files by their first bytes and lists their content. Each file expands as a stream, so memory stays
 * flat whatever the expanded size. A packed file that is truncated, has a wrong size or checksum, or continues after
 * its end is an error once it was read completely.
 */

import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import { FeedError } from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import { type ByteSource, bytesAt, lentPiecesOf, piecesOf } from './byte-source.ts';
import { expandBzip2 } from './bzip2-stream.ts';
import { expandLz4Frames } from './lz4-stream.ts';
import { PackedBytes } from './packed-bytes.ts';
import { beginsAsTar, TAR_BLOCK_BYTES, tarContent } from './tar-file.ts';
import { expandXz } from './xz-stream.ts';
import { type ZipEntry, zipDataOffset, zipEntries } from './zip-directory.ts';

/** Deflate expands by at most 1,032, and texts of trades far less; the other methods could expand without limit. */
const EXPANSION_MAX = 1_032;
const EXPANSION_FREE = 64 * MIB;

export type Packing = StreamPacking | 'plain' | 'zip' | 'tar';
type StreamPacking = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'lz4';

export interface PackedFile {
  /** The file name without its path and without the packing's extension. */
  readonly name: string;
  /** The expanded bytes from the beginning, on each call. A piece is valid until the next one is requested. */
  bytes(): AsyncIterable<Uint8Array>;
}

interface Expander extends Transform {
  readonly bytesWritten: number;
}

function packingOf(first: Uint8Array): Exclude<Packing, 'tar'> {
  if (first.length >= 2 && first[0] === 0x1f && first[1] === 0x8b) return 'gzip';
  if (first.length < 4) return 'plain';
  const magic = new DataView(first.buffer, first.byteOffset).getUint32(0, true);
  if (magic === 0xfd2f_b528) return 'zstd';
  if (magic === 0x184d_2204) return 'lz4';
  if (magic === 0x587a_37fd) return 'xz';
  // BZh and a digit from 1 to 9.
  if ((magic & 0xff_ffff) === 0x68_5a42 && first[3]! > 0x30 && first[3]! <= 0x39) return 'bzip2';
  // A local entry, or the end record of an empty zip.
  return magic === 0x0403_4b50 || magic === 0x0605_4b50 ? 'zip' : 'plain';
}

export interface Unpacked {
  readonly packing: Packing;
  readonly files: readonly PackedFile[];
}

/** The content of a file: itself, or the entries of a zip. The only file of a zip or a tar may be packed again. */
export async function unpack(source: ByteSource, path: string): Promise<Unpacked> {
  const { packing, files } = await unpackOutside(source, path);
  const [only] = files;
  if (only === undefined || files.length > 1 || source.size === 0) return { packing, files };
  const isTar = beginsAsTar(await firstOf(only, TAR_BLOCK_BYTES));
  if (!isTar && packing !== 'zip') return { packing, files };
  const file = isTar ? await fileInTar(only) : only;
  return { packing: packing === 'plain' ? 'tar' : packing, files: [await unpackInside(file)] };
}

/** The name may come after entries that are no files. */
async function fileInTar({ bytes }: PackedFile): Promise<PackedFile> {
  let name: string | null = null;
  for await (const _ of tarContent(bytes(), (its) => {
    name = its;
  })) {
    break;
  }
  return { name: name ?? '', bytes: () => tarContent(bytes()) };
}

async function unpackInside(file: PackedFile): Promise<PackedFile> {
  const packing = packingOf(await firstOf(file, 4));
  if (packing === 'plain' || packing === 'zip') return file;
  return {
    name: withoutEnding(file.name),
    bytes: () => {
      let taken = 0;
      const counted = async function* () {
        for await (const piece of file.bytes()) {
          taken += piece.length;
          // The expander may read it after the next one was requested.
          yield Uint8Array.from(piece);
        }
      };
      return expandedBy(packing, counted(), () => taken);
    },
  };
}

/** Up to `count` first bytes of a file. */
async function firstOf({ bytes }: PackedFile, count: number): Promise<Uint8Array> {
  const first = new Uint8Array(count);
  let filled = 0;
  for await (const piece of bytes()) {
    const part = piece.subarray(0, count - filled);
    first.set(part, filled);
    filled += part.length;
    if (filled === count) break;
  }
  return first.subarray(0, filled);
}

function withoutEnding(name: string): string {
  return name.replace(/\.(?:gz|zst|zstd|bz2|xz|lz4)$/i, '').replace(/\.t(?:gz|bz2|xz)$/i, '.tar');
}

async function unpackOutside(source: ByteSource, path: string): Promise<Unpacked> {
  const packing = packingOf(await bytesAt(source, 0, Math.min(4, source.size)));
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (packing) {
    case 'plain':
      return { packing, files: [{ name, bytes: () => lentPiecesOf(source) }] };
    case 'gzip':
    case 'zstd':
    case 'bzip2':
    case 'xz':
    case 'lz4': {
      const bytes = () => expandedBy(packing, piecesOf(source), () => source.size);
      return { packing, files: [{ name: withoutEnding(name), bytes }] };
    }
    case 'zip': {
      const entries = await zipEntries(source);
      const files = entries.map((entry) => ({
        name: entry.name,
        bytes: () => entryBytes(source, entry),
      }));
      return { packing, files };
    }
    default:
      return packing satisfies never;
  }
}

async function* entryBytes(source: ByteSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const from = await zipDataOffset(source, entry);
  const packed = piecesOf(source, from, from + entry.packedBytes);
  const what = `zip, at "${printedText(entry.name)}",`;
  let size = 0;
  let sum = 0;
  for await (const piece of entryPieces(packed, entry, what)) {
    size += piece.length;
    // Checked per piece: an endless entry never ends.
    if (size > entry.bytes) throw new FeedError(`The ${what} expands to more than declared.`);
    sum = crc32(piece, sum);
    yield piece;
  }
  if (size !== entry.bytes || sum !== entry.crc32) {
    throw new FeedError(
      `The ${what} is damaged: its content does not match its declared size and checksum.`,
    );
  }
}

function entryPieces(
  packed: AsyncIterable<Uint8Array>,
  { method, packedBytes }: ZipEntry,
  what: string,
): AsyncIterable<Uint8Array> {
  if (method === 'stored') return packed;
  const expander = method === 'deflate' ? createInflateRaw() : createZstdDecompress();
  return expanded(packed, expander, () => packedBytes, what);
}

/** `packedBytes`: the total, or the bytes read so far. */
function expandedBy(
  packing: StreamPacking,
  packed: AsyncIterable<Uint8Array>,
  packedBytes: () => number,
): AsyncIterable<Uint8Array> {
  switch (packing) {
    case 'gzip':
      return expanded(packed, createGunzip(), packedBytes, packing);
    case 'zstd':
      return expanded(packed, createZstdDecompress(), packedBytes, packing);
    case 'bzip2':
      return expandedHere(packed, expandBzip2, packedBytes, packing);
    case 'xz':
      return expandedHere(packed, expandXz, packedBytes, packing);
    case 'lz4':
      return expandedHere(packed, expandLz4Frames, packedBytes, packing);
    default:
      return packing satisfies never;
  }
}

/** Uses our own expander, which rejects damaged, truncated or continued data. */
async function* expandedHere(
  packed: AsyncIterable<Uint8Array>,
  expand: (input: PackedBytes) => AsyncIterable<Uint8Array>,
  packedBytes: () => number,
  what: string,
): AsyncGenerator<Uint8Array> {
  const input = new PackedBytes(packed, what);
  let bytes = 0;
  try {
    for await (const piece of expand(input)) {
      bytes += piece.length;
      refuseBomb(bytes, packedBytes(), what);
      yield piece;
    }
  } finally {
    await input.close();
  }
}

function refuseBomb(bytes: number, packedBytes: number, what: string): void {
  if (bytes <= EXPANSION_FREE + packedBytes * EXPANSION_MAX) return;
  throw new FeedError(
    `The ${what} expands to more than ${EXPANSION_MAX} times its size: unpack it first, if that is right.`,
  );
}

async function* expanded(
  packed: AsyncIterable<Uint8Array>,
  expander: Expander,
  /** The total, or the bytes read so far. */
  packedBytes: () => number,
  what: string,
): AsyncGenerator<Uint8Array> {
  // A failure is the expander's, which is handled below.
  const fed = pipeline(Readable.from(packed, { objectMode: false }), expander).then(
    () => null,
    (failure: unknown) => failure,
  );
  let bytes = 0;
  try {
    for await (const piece of expander) {
      bytes += (piece as Uint8Array).length;
      refuseBomb(bytes, packedBytes(), what);
      yield piece as Uint8Array;
    }
  } catch (cause) {
    throw cause instanceof FeedError ? cause : new FeedError(sentenceOf(what, cause));
  } finally {
    expander.destroy();
  }
  const failure = await fed;
  if (failure !== null)
    throw failure instanceof FeedError ? failure : new FeedError(sentenceOf(what, failure));
  if (expander.bytesWritten !== packedBytes()) {
    throw new FeedError(`The ${what} goes on behind its end, with what is not ${what}.`);
  }
}

function sentenceOf(what: string, cause: unknown): string {
  const isCut = (cause as { code?: string }).code === 'Z_BUF_ERROR';
  return isCut
    ? `The ${what} ends too early: was the file cut?`
    : `The ${what} is damaged: ${(cause as Error).message}.`;
}
