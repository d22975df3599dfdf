/** An offer whose notes do not fit into one record of the log, as several that are made one after another. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { IntakeBatch } from '../tape/write/intake.ts';
import { noteBytes } from '../tape/write/notes/logged-note.ts';
import { OFFER_NOTE_BYTES_MAX, OFFER_NOTES_MAX } from '../tape/write/notes/offer-notes.ts';
import type { TapeNote } from '../tape/write/tape-note.ts';

export interface NotedOffer {
  readonly batches: readonly IntakeBatch[];
  readonly promise: EpochNs | null;
  readonly notes: readonly TapeNote[];
}

/**
 * `before`: notes that must be on the tape before the trades, or with them: gaps. `behind`: those that must not be there
 * without the trades: places to resume from. They are in the record of the trades if they fit into one.
 */
export function dividedOffer(
  trades: Pick<NotedOffer, 'batches' | 'promise'>,
  before: readonly TapeNote[],
  behind: readonly TapeNote[],
): readonly NotedOffer[] {
  const earlier = portionsOf(before);
  const together = portionsOf(behind, earlier.at(-1));
  // Places stay with their trades if they fit into one record at all.
  const [withTrades = [], ...later] = together.length > 1 ? portionsOf(behind) : together;
  if (together.length <= 1) earlier.pop();
  const alone = (notes: readonly TapeNote[]): NotedOffer => ({ batches: [], promise: null, notes });
  return [...earlier.map(alone), { ...trades, notes: withTrades }, ...later.map(alone)];
}

/** `first`: what the first portion has already. */
function portionsOf(notes: readonly TapeNote[], first: readonly TapeNote[] = []): TapeNote[][] {
  const portions: TapeNote[][] = first.length > 0 ? [[...first]] : [];
  let bytes = first.reduce((sum, note) => sum + noteBytes(note), 0);
  for (const note of notes) {
    const size = noteBytes(note);
    const portion = portions.at(-1);
    const isFull = portion?.length === OFFER_NOTES_MAX || bytes + size > OFFER_NOTE_BYTES_MAX;
    if (portion === undefined || isFull) {
      portions.push([note]);
      bytes = size;
    } else {
      portion.push(note);
      bytes += size;
    }
  }
  return portions;
}
