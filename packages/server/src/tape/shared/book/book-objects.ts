/**
 * Books that are too long for a message are objects. One is removed only when no message of the stream can name it any more: who
 * appends notes, when it purges the stream, which objects are not those of the newest book, and a number that was stored after it had seen
 * them: what names them has a lower one. Once everything up to that number is purged, they go. The notes are objects too, so the
 * next one that appends goes on with them. Whatever the one before has put and could not append is found in the same way.
 */

import type { TapeObjects } from '../../stream/tape-stream.ts';

const BOOK = 'book.';
const NOTE = 'book-over.';
const NOTE_NAME = /^book-over\.([0-9a-f]{64})\.(\d+)$/;
/** Of no meaning: the name says it all. */
const NOTED = Uint8Array.of(1);

export interface BooksInUse {
  /** The object of the newest book; null where that is in its message. */
  readonly newest: string | null;
  /** Appends the newest book once more; its number. That it is stored proves that nobody else appends. */
  readonly confirm: () => Promise<number>;
  /** The first number that the stream still has. */
  readonly first: number;
}

/** To be called by who appends, after a purge. */
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

/** A book that was noted as over is the newest one once more; to be called before its message is appended. */
export async function inUseAgain(objects: TapeObjects, object: string): Promise<void> {
  const notes = await objects.list(`${NOTE}${object.slice(BOOK.length)}.`);
  for (const name of notes) await objects.remove(name);
}

/** By digest, the number below which messages may name it. */
async function readNotes(objects: TapeObjects): Promise<ReadonlyMap<string, number>> {
  const notes = new Map<string, number>();
  for (const name of await objects.list(NOTE)) {
    const [, digest, sequence] = NOTE_NAME.exec(name) ?? [];
    if (digest === undefined) continue;
    notes.set(digest, Math.max(Number(sequence), notes.get(digest) ?? 0));
  }
  return notes;
}
