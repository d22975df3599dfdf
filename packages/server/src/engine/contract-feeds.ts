/** One feed per contract and delay, as long as a topic uses it. */

import type { TapeDays } from '../runs/tape-days.ts';
import type { Commit } from '../tape/tape.ts';
import type { TopicSpec } from '../topics/engine-link.ts';
import { ContractFeed, type FeedMember, type FeedSource } from './contract-feed.ts';

type FeedPlace = Pick<TopicSpec, 'contract' | 'delaySeconds'>;

export class ContractFeeds {
  readonly #source: Pick<FeedSource, 'tape' | 'flow'>;
  readonly #daysOf: (contract: string) => TapeDays;
  readonly #feeds = new Map<string, { readonly contract: string; readonly feed: ContractFeed }>();

  constructor(source: Pick<FeedSource, 'tape' | 'flow'>, daysOf: (contract: string) => TapeDays) {
    this.#source = source;
    this.#daysOf = daysOf;
  }

  of({ contract, delaySeconds }: FeedPlace): ContractFeed {
    const { feed } = this.#feeds.getOrInsertComputed(`${contract} ${delaySeconds}`, () => {
      const source = { ...this.#source, days: this.#daysOf(contract), contract };
      return { contract, feed: new ContractFeed(source, delaySeconds) };
    });
    return feed;
  }

  /** A topic no longer uses it; `member` is its membership, if it has joined. */
  leave({ contract, delaySeconds }: FeedPlace, member: FeedMember | null): void {
    const key = `${contract} ${delaySeconds}`;
    const feed = this.#feeds.get(key)?.feed;
    if (member !== null) feed?.leave(member);
    if (feed?.isEmpty === true) this.#feeds.delete(key);
  }

  /** A tape has grown. */
  committed({ dataset, symbols }: Commit): void {
    const { tape } = this.#source;
    for (const { contract, feed } of this.#feeds.values()) {
      if (tape.timeOf(contract) === dataset) feed.committed(symbols.includes(contract));
    }
  }

  clear(): void {
    this.#feeds.clear();
  }
}
