/** A dataset of pushed trades in the thread that writes its tape. Its contracts can be replaced while it runs. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Disk } from '../../platform/disk/disk.ts';
import { FilesMarket } from '../files-market.ts';
import type { ListedDataset, PushedFeed } from '../instruments/instruments-file.ts';
import type { FillPlan, LiveMarket, MarketListing, SourceOptions, TradeSource } from '../market.ts';
import { claimTape } from '../source-claim.ts';
import { PushSource } from './push-source.ts';

const ADVICE =
  'Give the dataset of instruments.yaml another name, or choose another data directory.';

export class PushLive implements LiveMarket {
  readonly dataset: string;
  readonly #feed: PushedFeed;
  #market: FilesMarket;

  constructor(listed: ListedDataset, feed: PushedFeed) {
    this.dataset = listed.name;
    this.#feed = feed;
    this.#market = marketOf(listed);
  }

  listing(): MarketListing {
    return this.#market.listing();
  }

  calendar(name: string): Calendar {
    return this.#market.calendar(name);
  }

  relist(listed: ListedDataset): void {
    this.#market = marketOf(listed);
  }

  async claim(disk: Disk, tapeRoot: string): Promise<void> {
    await claimTape(disk, tapeRoot, this.dataset, { source: 'push' }, ADVICE);
  }

  /** Days before the first trade are unknown. */
  async planFill(): Promise<FillPlan> {
    return { ready: [], rest: [] };
  }

  async fill(): Promise<readonly string[]> {
    return [];
  }

  source(options: SourceOptions): TradeSource {
    return new PushSource({ ...options, market: this, feed: this.#feed });
  }
}

function marketOf(listed: ListedDataset): FilesMarket {
  return new FilesMarket(listed, new Map(), new Map());
}
