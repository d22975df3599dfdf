/**
 * Decides what the notes of offers become, in the order of the offers. A gap goes into the record that is being
 * collected when its offer's first trade is judged, a position or a batch into the one that has its offer's last.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { KIB } from '@tapeloom/core/units';
import type { TapeGap } from '../../tape-gap.ts';
import { KeptNotes } from './kept-notes.ts';
import { type LoggedNote, NO_NOTES } from './logged-note.ts';
import type { OfferNotes } from './offer-notes.ts';
import { takenGap } from './taken-gap.ts';

/** Bytes of notes in one commit. */
export const COMMIT_NOTE_BYTES_MAX = 256 * KIB;
/** A position for each. */
export const POSITION_KEYS_MAX = 1_024;
/** Gaps of all contracts that touch one day. */
export const GAPS_MAX = 16_384;

export interface TakenAt {
  readonly watermark: EpochNs;
  /** Later times are not believed. */
  readonly latest: EpochNs;
  /** Whether this contract can trade at that time. */
  readonly isListed: (symbol: string, at: EpochNs) => boolean;
  /** Of a contract that the open day had not until now: its midnight. No reader was shown anything of it. */
  readonly newSince: (symbol: string) => EpochNs | null;
}

export class NoteTaker {
  /** With the pending ones. */
  readonly #kept = new KeptNotes();
  #pending: LoggedNote[] = [];
  #pendingBytes = 0;

  /** The notes of the next commit. */
  get pending(): readonly LoggedNote[] {
    return this.#pending.length === 0 ? NO_NOTES : this.#pending;
  }

  get all(): readonly LoggedNote[] {
    return this.#kept.all;
  }

  /** Whether the next commit can have these too. */
  hasRoom({ bytes }: OfferNotes): boolean {
    return this.#pendingBytes + bytes <= COMMIT_NOTE_BYTES_MAX;
  }

  /** Takes the gaps of an offer before its first trade. A RangeError means that nothing of the offer may be taken. */
  begin(notes: OfferNotes, at: TakenAt): void {
    this.#assertPositions(notes.last);
    for (const gap of notes.gaps) this.#assertGap(gap, at);
    if (this.#kept.gaps.length + notes.gaps.length > GAPS_MAX) {
      throw new RangeError(`a day may have ${GAPS_MAX} gaps`);
    }
    for (const gap of notes.gaps) {
      const taken = takenGap(this.#kept, gap, at.newSince(gap.symbol) ?? at.watermark);
      if (taken !== null) this.#add(taken);
    }
    this.#pendingBytes += notes.bytes;
  }

  /** Takes the others, after the offer's last trade. */
  finish({ last, bytes }: OfferNotes): void {
    for (const note of last) this.#add(note);
    // Begun with an earlier commit, it has no bytes in this one yet.
    this.#pendingBytes = Math.max(this.#pendingBytes, bytes);
  }

  /** The pending notes are in a record. */
  logged(): void {
    if (this.#pending.length > 0) this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** A day begins: forgets what is no longer needed and returns the rest, for the opening. */
  startDay(midnight: EpochNs): readonly LoggedNote[] {
    const needed = this.#kept.since(midnight);
    this.#kept.replace(needed);
    return needed;
  }

  /** Recovery: these are all notes, and the log has them. */
  restore(notes: readonly LoggedNote[]): void {
    this.#kept.replace(notes);
  }

  /** Recovery: a record has these. */
  replay(notes: readonly LoggedNote[]): void {
    this.#kept.apply(notes);
  }

  #add(note: LoggedNote): void {
    this.#kept.apply([note]);
    this.#pending.push(note);
  }

  #assertPositions(notes: readonly LoggedNote[]): void {
    const keys = notes.flatMap((note) =>
      note.kind === 'position' && this.#kept.position(note.key) === null ? [note.key] : [],
    );
    if (keys.length === 0 || this.#kept.keys.union(new Set(keys)).size <= POSITION_KEYS_MAX) return;
    throw new RangeError(`a tape has positions for ${POSITION_KEYS_MAX} keys at most`);
  }

  #assertGap({ symbol, from, to }: TapeGap, { watermark, latest, isListed, newSince }: TakenAt) {
    if (from > latest || (to !== null && to > latest)) {
      throw new RangeError(`a gap of ${symbol} lies too far ahead: from ${from} to ${to}`);
    }
    const isOver = to !== null && to <= (newSince(symbol) ?? watermark);
    if (isOver || this.#kept.find(symbol, from) !== null || isListed(symbol, from)) return;
    throw new RangeError(`${symbol} cannot have a gap: the dataset has no such contract`);
  }
}
