/** What the notes on the tape say at one of its records: positions, the newest batches, and the gaps of a day. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { TapeGap } from '../../tape-gap.ts';
import { type LoggedGap, type LoggedNote, NO_NOTES } from './logged-note.ts';

/** Batches whose digests are remembered; the oldest is forgotten first. */
export const BATCHES_KEPT_MAX = 1_024;

export class KeptNotes {
  readonly #positions = new Map<string, string>();
  readonly #batches = new Map<string, string>();
  /** By contract and beginning. */
  readonly #gaps = new Map<string, LoggedGap>();
  /** The same, also by the beginning that the source named. */
  readonly #named = new Map<string, LoggedGap>();
  #list: readonly TapeGap[] | null = null;

  constructor(notes: readonly LoggedNote[] = NO_NOTES) {
    this.apply(notes);
  }

  /** In the order of their first record. */
  get gaps(): readonly TapeGap[] {
    this.#list ??= [...this.#gaps.values()].map(({ gap }) => gap);
    return this.#list;
  }

  /** Everything: applying it to nothing gives the same. */
  get all(): readonly LoggedNote[] {
    const isEmpty = this.#positions.size + this.#batches.size + this.#gaps.size === 0;
    return isEmpty ? NO_NOTES : [...this.#others(), ...this.#gaps.values()];
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.#positions.keys());
  }

  position(key: string): string | null {
    return this.#positions.get(key) ?? null;
  }

  /** The digest of a batch; null when it is unknown or forgotten. */
  batch(id: string): string | null {
    return this.#batches.get(id) ?? null;
  }

  /** The gap that begins there, or that the source named so. */
  find(symbol: string, from: EpochNs): LoggedGap | null {
    return this.#named.get(keyOf(symbol, from)) ?? null;
  }

  apply(notes: readonly LoggedNote[]): void {
    for (const note of notes) this.#apply(note);
  }

  /** Replaces everything. */
  replace(notes: readonly LoggedNote[]): void {
    this.#positions.clear();
    this.#batches.clear();
    this.#gaps.clear();
    this.#named.clear();
    this.#list = null;
    this.apply(notes);
  }

  /** What is still needed from a midnight on: gaps that end before it are not. */
  since(midnight: EpochNs): readonly LoggedNote[] {
    const gaps = [...this.#gaps.values()].filter(({ gap }) => gap.to === null || gap.to > midnight);
    return [...this.#others(), ...gaps];
  }

  #apply(note: LoggedNote): void {
    if (note.kind === 'position') {
      this.#positions.set(note.key, note.text);
    } else if (note.kind === 'batch') {
      this.#batches.delete(note.id);
      this.#batches.set(note.id, note.digest);
      if (this.#batches.size <= BATCHES_KEPT_MAX) return;
      this.#batches.delete(this.#batches.keys().next().value!);
    } else {
      const { symbol, from } = note.gap;
      this.#gaps.set(keyOf(symbol, from), note);
      this.#named.set(keyOf(symbol, note.asked), note);
      this.#named.set(keyOf(symbol, from), note);
      this.#list = null;
    }
  }

  *#others(): Generator<LoggedNote> {
    for (const [key, text] of this.#positions) yield { kind: 'position', key, text };
    for (const [id, digest] of this.#batches) yield { kind: 'batch', id, digest };
  }
}

function keyOf(symbol: string, from: EpochNs): string {
  return `${symbol} ${from}`;
}
