/**
 * Keys of ours that were looked up, so that the next request with one costs no look at the disk. The one unused
 * for longest is forgotten first. Keys that have ended have a smaller room of their own: an account can
 * make and end many, but has ten valid ones at most, so nobody can make another's valid key forgotten.
 */

import { timingSafeEqual } from 'node:crypto';
import type { KeyWithAccount } from '../keys/keys-store.ts';
import type { Caller } from './caller.ts';

/** Enough of a digest, in hexadecimal, to find its record by. */
const PLACE_CHARACTERS = 32;

/** What was read of a key, and how many changes there had been when it was known to be right. */
export interface Reading {
  readonly found: KeyWithAccount;
  changes: number;
}

export interface RememberedKey {
  readonly digest: Buffer;
  readonly reading: Reading;
  /** Made anew when the account's plan is another. */
  caller: Caller | null;
}

export interface RememberedKeysOptions {
  readonly validMax: number;
  readonly endedMax: number;
  readonly hasEnded: (known: RememberedKey) => boolean;
}

export class RememberedKeys {
  readonly #options: RememberedKeysOptions;
  /** By the place of the digest; the one used last stands last. */
  readonly #valid = new Map<string, RememberedKey>();
  readonly #ended = new Map<string, RememberedKey>();

  constructor(options: RememberedKeysOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#valid.size + this.#ended.size;
  }

  recall(digest: Buffer): RememberedKey | null {
    const place = placeOf(digest);
    const known = this.#valid.get(place) ?? this.#ended.get(place);
    if (known === undefined || !timingSafeEqual(known.digest, digest)) return null;
    this.remember(known);
    return known;
  }

  /** As the one used last. */
  remember(known: RememberedKey): void {
    const place = placeOf(known.digest);
    const { validMax, endedMax, hasEnded } = this.#options;
    this.#valid.delete(place);
    this.#ended.delete(place);
    if (hasEnded(known)) keepNewest(this.#ended, place, known, endedMax);
    else keepNewest(this.#valid, place, known, validMax);
  }

  forgetAccount(accountId: string): void {
    for (const room of [this.#valid, this.#ended]) {
      for (const [place, { reading }] of room) {
        if (reading.found.account.id === accountId) room.delete(place);
      }
    }
  }

  clear(): void {
    this.#valid.clear();
    this.#ended.clear();
  }
}

function keepNewest(
  room: Map<string, RememberedKey>,
  place: string,
  known: RememberedKey,
  max: number,
): void {
  room.set(place, known);
  if (room.size <= max) return;
  const [oldest] = room.keys();
  room.delete(oldest!);
}

function placeOf(digest: Buffer): string {
  return digest.toString('hex', 0, PLACE_CHARACTERS / 2);
}
