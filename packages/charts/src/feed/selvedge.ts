/** The delta of each minute of a session, no further than the replay has been watched. */

import type { ReplayTape } from './replay-tape.ts';

const MINUTE_NS = 60_000_000_000n;

/** One minute of the selvedge. */
export interface SelvedgeMinute {
  readonly fromNs: bigint;
  readonly delta: number;
  readonly volume: number;
}

export class WatchedSelvedge {
  readonly #openNs: bigint;
  readonly #tape: ReplayTape;
  /** By the minute since the open. */
  readonly #minutes = new Map<number, { delta: number; volume: number }>();
  /** Versions that have been watched. */
  #count = 0;
  #watchedNs: bigint;
  #list: readonly SelvedgeMinute[] | null = null;

  constructor(openNs: bigint, tape: ReplayTape) {
    this.#openNs = openNs;
    this.#tape = tape;
    this.#watchedNs = openNs;
  }

  get watchedNs(): bigint {
    return this.#watchedNs;
  }

  /** Ascending. Minutes without a trade are left out. */
  get minutes(): readonly SelvedgeMinute[] {
    this.#list ??= Array.from(this.#minutes, ([minute, sums]) => ({
      fromNs: this.#openNs + BigInt(minute) * MINUTE_NS,
      ...sums,
    })).sort((a, b) => (a.fromNs < b.fromNs ? -1 : 1));
    return this.#list;
  }

  watch(position: number, atNs: bigint): void {
    if (atNs > this.#watchedNs) this.#watchedNs = atNs;
    if (position <= this.#count) return;
    this.#list = null;
    for (; this.#count < position; this.#count += 1) {
      const volume = this.#tape.volumeOf(this.#count);
      if (volume === 0) continue;
      const minute = Math.floor(this.#tape.timeOf(this.#count) / Number(MINUTE_NS));
      const sums = this.#minutes.getOrInsertComputed(minute, () => ({ delta: 0, volume: 0 }));
      sums.delta += this.#tape.deltaOf(this.#count);
      sums.volume += volume;
    }
  }
}
