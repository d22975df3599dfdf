/**
 * Several files as one, read one after another: an instrument that two of them name is one instrument. Files that do not
 * name theirs go by their own names, in which a date does not count.
 */

import type { FeedTrades } from './feed-trades.ts';
import type { OpenFeed } from './open-feed.ts';

/** What of a feed tells whose trades it has. */
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
  /** The places here of the instruments of the file that is read. */
  #places: number[] = [];

  /** From here on batches are of this file. */
  follow(feed: OpenFeed): void {
    this.#feeds.push(feed);
    this.#places = [];
  }

  /** The same trades; their instruments are those of all files. */
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
