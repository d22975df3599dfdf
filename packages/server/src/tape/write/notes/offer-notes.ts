/** The notes of one offer, checked: what cannot be on the tape is rejected with a RangeError. */

import { KIB } from '@tapeloom/core/units';
import type { TapeGap } from '../../tape-gap.ts';
import { isSafeName } from '../../tape-paths.ts';
import type { TapeNote } from '../tape-note.ts';
import { type LoggedNote, noteBytes } from './logged-note.ts';

/** Notes of an offer, and their bytes. */
export const OFFER_NOTES_MAX = 1_024;
export const OFFER_NOTE_BYTES_MAX = 128 * KIB;
/** So that an opening with all of them fits into a message of a cluster's stream. */
const NAME_BYTES_MAX = 128;
const POSITION_BYTES_MAX = KIB;

export interface OfferNotes {
  readonly gaps: readonly TapeGap[];
  /** They say that all trades of the offer are there. */
  readonly last: readonly LoggedNote[];
  readonly bytes: number;
}

export function checkedNotes(notes: readonly TapeNote[]): OfferNotes {
  if (notes.length > OFFER_NOTES_MAX) {
    throw new RangeError(`an offer may have ${OFFER_NOTES_MAX} notes; it has ${notes.length}`);
  }
  let bytes = 0;
  const gaps: TapeGap[] = [];
  const last: LoggedNote[] = [];
  for (const note of notes) {
    bytes += noteBytes(note);
    if (note.kind === 'gap') gaps.push(checkedGap(note.gap));
    else last.push(checked(note));
  }
  if (bytes > OFFER_NOTE_BYTES_MAX) {
    throw new RangeError(
      `the notes of an offer may have ${OFFER_NOTE_BYTES_MAX} bytes, not ${bytes}`,
    );
  }
  return { gaps, last, bytes };
}

function checked(note: Exclude<TapeNote, { readonly kind: 'gap' }>): LoggedNote {
  if (note.kind === 'batch') {
    assertText('the id of a batch', note.id, NAME_BYTES_MAX);
    assertText('the digest of a batch', note.digest, NAME_BYTES_MAX);
    return { kind: 'batch', id: note.id, digest: note.digest };
  }
  assertText('the key of a position', note.key, NAME_BYTES_MAX);
  assertText('a position', note.text, POSITION_BYTES_MAX);
  return { kind: 'position', key: note.key, text: note.text };
}

function checkedGap({ symbol, from, to, firstId, lastId, reason }: TapeGap): TapeGap {
  if (!isSafeName(symbol)) throw new RangeError(`a gap cannot be of the contract "${symbol}"`);
  assertText('the reason of a gap', reason, NAME_BYTES_MAX);
  if (from < 0n || (to !== null && to <= from)) {
    throw new RangeError(`a gap of ${symbol} from ${from} to ${to} has no time`);
  }
  for (const id of [firstId, lastId]) {
    if (id === null || (Number.isSafeInteger(id) && id >= 0)) continue;
    throw new RangeError(`a gap of ${symbol} cannot have the number ${id}`);
  }
  return { symbol, from, to, firstId, lastId, reason };
}

function assertText(what: string, text: string, bytesMax: number): void {
  if (text.isWellFormed() && Buffer.byteLength(text) <= bytesMax) return;
  throw new RangeError(`${what} must be well-formed text of at most ${bytesMax} bytes`);
}
