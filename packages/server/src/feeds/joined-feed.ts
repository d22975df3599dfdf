/**
 * Several files read one after another as one feed: an instrument that two of them name is the same. Files without
 * instrument names use their file names, without dates.
 */

import type { FeedTrades } from './feed-trades.ts';
import type { OpenFeed } from './open-feed.ts';

export type FeedNames = Pick<OpenFeed, 'nameOf' | 'namesOf' | 'skippedAs' | 'counts'>;

interface Known {
  readonly feed: OpenFeed;
  readonly index: number;
}

const DATE = /[-_. ]*(?:19|20)\d{2}[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?[0-3]\d)?/g;

export class JoinedFeed implements FeedNames {
  readonly #known: Known[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #feeds: OpenFeed[] = [];
  /** The indexes here of the current file's instruments. */
  #places: number[] = [];

  follow(feed: OpenFeed): void {
    this.#feeds.push(feed);
    this.#places = [];
  }

  /** The same trades, with instrument indexes over all files. */
  taken(batch: FeedTrades): FeedTrades {
    const instruments = new Uint32Array(batch.count);
    for (let row = 0; row < batch.count; row += 1) {
      const index = batch.instruments[row]!;
      this.#places[index] ??= this.#meet(index);
      instruments[row] = this.#places[index]!;
    }
    return { ...batch, instruments };
  }

  nameOf(index: number): string {
    const { feed, index: own } = this.#known[index]!;
    return feed.nameOf(own);
  }

  namesOf(index: number): readonly string[] {
    const { feed, index: own } = this.#known[index]!;
    return feed.namesOf(own);
  }

  skippedAs(index: number): string | null {
    const { feed, index: own } = this.#known[index]!;
    return feed.skippedAs(own);
  }

  counts(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (const feed of this.#feeds) {
      for (const [what, count] of feed.counts()) all.set(what, (all.get(what) ?? 0) + count);
    }
    return all;
  }

  #meet(index: number): number {
    const feed = this.#feeds.at(-1)!;
    const isUnnamed = feed.mapping !== null && feed.mapping.symbol === null;
    const name = feed.namesOf(index)[0]!;
    const key = isUnnamed ? name.replaceAll(DATE, '') : name;
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const place = this.#known.push({ feed, index }) - 1;
    this.#byKey.set(key, place);
    return place;
  }
}
