/**
 * What studies depend on beside trades, agreed on by all who share a tape: sessions, floors, what was removed, and which days
 * are sealed, with the digests of their trades and the objects that hold them. A book in the stream is always whole, so
 * the newest one is enough; one that is too long for a message is an object, which the message names by its digest.
 */

import { createHash } from 'node:crypto';
import type { UtcDay } from '@tapeloom/core/numbers';
import { KIB } from '@tapeloom/core/units';
import { parseChecked, printChecked } from '../checked-json.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import type { TapeObjects } from './tape-stream.ts';

const BOOK_VERSION = 1;
const BODY_BYTES_MAX = 256 * KIB;
/** What a book is called where it is found to be damaged. */
const BOOK_FILE = 'book';

/** A sealed day of a contract. */
export interface BookDay {
  /** Of its trades. */
  readonly digest: string;
  /** The object that holds its files. */
  readonly object: string;
}

export interface TapeBook {
  readonly dataset: string;
  /** Who began the tape, as its own file says it; null: nobody says. */
  readonly source: string | null;
  /** The session books, as their own files say them, by calendar. */
  readonly sessions: Readonly<Record<string, string>>;
  /** The floors of cursors, as their own file says them; null: there are none yet. */
  readonly floors: string | null;
  /** By contract, the day before which all days were removed. */
  readonly keptFrom: Readonly<Record<string, UtcDay>>;
  /** Sealed days, by contract and day. */
  readonly days: Readonly<Record<string, Readonly<Record<string, BookDay>>>>;
  /** The numbers of the openings of the newest days in the stream, by day. */
  readonly openings: Readonly<Record<string, number>>;
  /** Whether all days are listed that the first streams need. */
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

/** The body of the message. What it names is kept before this resolves. */
export async function encodeBook(book: TapeBook, objects: TapeObjects): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(printChecked({ version: BOOK_VERSION, ...book }));
  if (bytes.length <= BODY_BYTES_MAX) return bytes;
  const object = `book.${sha256(bytes)}`;
  await objects.put(object, bytes);
  return new TextEncoder().encode(printChecked({ version: BOOK_VERSION, object }));
}

/** Rejects with `TapeDamagedError` when it is not what was written, and when what it names is not there. */
export async function decodeBook(body: Uint8Array, objects: TapeObjects): Promise<TapeBook> {
  const named = parse<NamedBook>(body);
  if (!('object' in named)) return named as unknown as TapeBook;
  const bytes = await objects.get(named.object);
  if (bytes === null || named.object !== `book.${sha256(bytes)}`) {
    throw new TapeDamagedError('the book is not there', { file: named.object, offset: 0 });
  }
  return parse<TapeBook & { readonly version: number }>(bytes);
}

/** The object that holds a book; null where its message does. */
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
