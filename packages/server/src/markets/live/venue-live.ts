/** A dataset of a venue in the thread that writes its tape. Its contracts can be replaced while it runs. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Disk } from '../../platform/disk/disk.ts';
import { FilesMarket } from '../files-market.ts';
import type { ListedDataset } from '../instruments/instruments-file.ts';
import type { FillPlan, LiveMarket, MarketListing, SourceOptions, TradeSource } from '../market.ts';
import type { VenueSetting } from '../market-setting.ts';
import { claimTape } from '../source-claim.ts';
import { VenueBudget } from './connection/venue-budget.ts';
import type { Venue } from './feed.ts';
import { webNetwork } from './network.ts';
import { readVenueKey } from './venue-key.ts';
import type { VenueKind } from './venue-kind.ts';
import { VenueSource } from './venue-source.ts';
import { venueNamed } from './venues.ts';

const ADVICE =
  'Give the dataset of instruments.yaml another name, or choose another data directory.';

export class VenueLive implements LiveMarket {
  readonly dataset: string;
  readonly #setting: VenueSetting;
  readonly #kind: VenueKind;
  #listed: ListedDataset;
  #market: FilesMarket;
  #key: string | null = null;
  #source: VenueSource | null = null;

  constructor(setting: VenueSetting) {
    this.dataset = setting.listed.name;
    this.#setting = setting;
    this.#kind = venueNamed(setting.feed.venue)!;
    this.#listed = setting.listed;
    this.#market = marketOf(setting.listed);
  }

  listing(): MarketListing {
    return this.#market.listing();
  }

  calendar(name: string): Calendar {
    return this.#market.calendar(name);
  }

  relist(listed: ListedDataset): void {
    this.#listed = listed;
    this.#market = marketOf(listed);
    this.#source?.relist();
  }

  async claim(disk: Disk, tapeRoot: string): Promise<void> {
    const { feed } = this.#setting;
    this.#key = await readVenueKey(disk, feed.keyFile);
    const claim = { source: 'venue', venue: feed.venue, venueDataset: feed.venueDataset };
    await claimTape(disk, tapeRoot, this.dataset, claim, ADVICE);
  }

  /** Days before the first trade are unknown. */
  async planFill(): Promise<FillPlan> {
    return { ready: [], rest: [] };
  }

  async fill(): Promise<readonly string[]> {
    return [];
  }

  source(options: SourceOptions): TradeSource {
    const { feed, budget } = this.#setting;
    const venue = this.#open();
    this.#source = new VenueSource({
      ...options,
      venue,
      budget: new VenueBudget(venue.limits, budget),
      feed,
      feedName: this.#kind.name,
      listed: () => this.#listed,
      network: webNetwork,
    });
    return this.#source;
  }

  #open(): Venue {
    const { addresses, venueDataset } = this.#setting.feed;
    return this.#kind.open({ addresses, key: this.#key, venueDataset });
  }
}

function marketOf(listed: ListedDataset): FilesMarket {
  return new FilesMarket(listed, new Map(), new Map());
}
