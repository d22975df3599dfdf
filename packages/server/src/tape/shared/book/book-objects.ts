/**
 * Removes objects of long books once no message of the stream can name them. At a purge, the leader writes a note for
 * each object other than the newest book's, with a number stored after that check: messages that name the object have
 * lower numbers. Once everything up to that number is purged, the object is removed. Notes are objects too, so the next
 * leader continues with them. It also finds books that were stored and never appended.
 */

import type { TapeObjects } from '../../stream/tape-stream.ts';

const BOOK = 'book.';
const NOTE = 'book-over.';
const NOTE_NAME = /^book-over\.([0-9a-f]{64})\.(\d+)$/;
/** The content has no meaning: the name carries everything. */
const NOTED = Uint8Array.of(1);

export interface BooksInUse {
  /** The object of the newest book; null when its message holds it. */
  readonly newest: string | null;
  /** Appends the newest book again and resolves to its number. A stored book proves that no other node leads. */
  readonly confirm: () => Promise<number>;
  /** The first number that the stream still has. */
  readonly first: number;
}

/** Called by the leader after a purge. */
export async function sweepBooks(objects: TapeObjects, inUse: BooksInUse): Promise<void> {
  const notes = await readNotes(objects);
  const others = (await objects.list(BOOK)).filter((object) => object !== inUse.newest);
  if (others.length === 0) return;
  const sequence = await inUse.confirm();
  for (const object of others) {
    const digest = object.slice(BOOK.length);
    const noted = notes.get(digest);
    if (noted === undefined) await objects.put(`${NOTE}${digest}.${sequence}`, NOTED);
    else if (noted < inUse.first) {
      await objects.remove(object);
      await inUseAgain(objects, object);
    }
  }
}

/** A noted book is the newest again. Called before its message is appended. */
export async function inUseAgain(objects: TapeObjects, object: string): Promise<void> {
  const notes = await objects.list(`${NOTE}${object.slice(BOOK.length)}.`);
  for (const name of notes) await objects.remove(name);
}

/** By digest, the number below which messages may name the object. */
async function readNotes(objects: TapeObjects): Promise<ReadonlyMap<string, number>> {
  const notes = new Map<string, number>();
  for (const name of await objects.list(NOTE)) {
    const [, digest, sequence] = NOTE_NAME.exec(name) ?? [];
    if (digest === undefined) continue;
    notes.set(digest, Math.max(Number(sequence), notes.get(digest) ?? 0));
  }
  return notes;
}
