/**
 * Cached look-ups of our keys, so that the next request with one needs no disk read. The least recently used is evicted
 * first. Ended keys have a smaller cache of their own. An account can end many keys but has at most ten valid ones, so
 * none can evict another's valid key.
 */

import { timingSafeEqual } from 'node:crypto';
import type { KeyWithAccount } from '../keys/keys-store.ts';
import type { Caller } from './caller.ts';

/** How much of a digest, in hexadecimal, finds its record. */
const PLACE_CHARACTERS = 32;

/** A record of a key, and the change count at which it was last known to be current. */
export interface Reading {
  readonly found: KeyWithAccount;
  changes: number;
}

export interface RememberedKey {
  readonly digest: Buffer;
  readonly reading: Reading;
  /** Replaced when the account's plan changes. */
  caller: Caller | null;
}

export interface RememberedKeysOptions {
  readonly validMax: number;
  readonly endedMax: number;
  readonly hasEnded: (known: RememberedKey) => boolean;
}

export class RememberedKeys {
  readonly #options: RememberedKeysOptions;
  /** By the start of the digest; the most recently used is last. */
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

  /** Stores it as the most recently used. */
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
