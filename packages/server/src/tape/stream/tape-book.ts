/**
 * The inputs of studies beside trades, shared by all nodes of a tape: sessions, floors, removals, and the sealed days
 * with the digests of their trades and the objects that hold them. A book in the stream is always complete, so the
 * newest one is enough. A book too long for a message is stored as an object, and the message names its digest.
 */

import { createHash } from 'node:crypto';
import type { UtcDay } from '@tapeloom/core/numbers';
import { KIB } from '@tapeloom/core/units';
import { parseChecked, printChecked } from '../checked-json.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import type { TapeObjects } from './tape-stream.ts';

const BOOK_VERSION = 1;
const BODY_BYTES_MAX = 256 * KIB;
/** The book's name in error messages. */
const BOOK_FILE = 'book';

export interface BookDay {
  /** Digest of its trades. */
  readonly digest: string;
  /** The object that holds its files. */
  readonly object: string;
}

export interface TapeBook {
  readonly dataset: string;
  /** The source that began the tape, as the text of its file; null: unknown. */
  readonly source: string | null;
  /** The session books, as the text of their files, by calendar. */
  readonly sessions: Readonly<Record<string, string>>;
  /** The floors of cursors, as the text of their file; null: there are none yet. */
  readonly floors: string | null;
  /** By contract, the day before which all days were removed. */
  readonly keptFrom: Readonly<Record<string, UtcDay>>;
  /** Sealed days, by contract and day. */
  readonly days: Readonly<Record<string, Readonly<Record<string, BookDay>>>>;
  /** The numbers of the newest days' openings in the stream, by day. */
  readonly openings: Readonly<Record<string, number>>;
  /** Whether all days that the first streams need are listed. */
  readonly isReady: boolean;
}

interface NamedBook {
  readonly version: number;
  readonly object: string;
}

export function emptyBook(dataset: string): TapeBook {
  const none = { source: null, floors: null, isReady: false };
  return { dataset, ...none, sessions: {}, keptFrom: {}, days: {}, openings: {} };
}

/** The body of the message. An object that it names is stored before this resolves. */
export async function encodeBook(book: TapeBook, objects: TapeObjects): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(printChecked({ version: BOOK_VERSION, ...book }));
  if (bytes.length <= BODY_BYTES_MAX) return bytes;
  const object = `book.${sha256(bytes)}`;
  await objects.put(object, bytes);
  return new TextEncoder().encode(printChecked({ version: BOOK_VERSION, object }));
}

/** Rejects with `TapeDamagedError` when it is not as written, or when its object is missing. */
export async function decodeBook(body: Uint8Array, objects: TapeObjects): Promise<TapeBook> {
  const named = parse<NamedBook>(body);
  if (!('object' in named)) return named as unknown as TapeBook;
  const bytes = await objects.get(named.object);
  if (bytes === null || named.object !== `book.${sha256(bytes)}`) {
    throw new TapeDamagedError('the book is not there', { file: named.object, offset: 0 });
  }
  return parse<TapeBook & { readonly version: number }>(bytes);
}

/** The object that holds a book; null when the message holds it. */
export function objectOfBook(body: Uint8Array): string | null {
  const named = parse<NamedBook>(body);
  return 'object' in named ? named.object : null;
}

function parse<Value extends { readonly version: number }>(
  bytes: Uint8Array,
): Omit<Value, 'version'> {
  const text = new TextDecoder().decode(bytes);
  const { version: _, ...book } = parseChecked<Value>(text, {
    what: 'book',
    version: BOOK_VERSION,
    file: BOOK_FILE,
  });
  return book;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
