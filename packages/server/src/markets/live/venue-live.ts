/** A dataset of a venue in the thread that writes its tape. Its contracts can be replaced while it runs. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs, later } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { aborted } from '../../platform/waiting/aborted.ts';
import { readImported } from '../../tape/imported/imported-manifest.ts';
import { readManifest } from '../../tape/tape-manifest.ts';
import { sealDay } from '../../tape/write/seal/seal.ts';
import { FilesMarket } from '../files-market.ts';
import type { ListedDataset } from '../instruments/instruments-file.ts';
import {
  FillError,
  type FillItem,
  type FillPlan,
  type FillRequest,
  type LiveMarket,
  type MarketListing,
  type PlanIntake,
  type SourceOptions,
  type TradeSource,
} from '../market.ts';
import type { VenueSetting } from '../market-setting.ts';
import { claimTape } from '../source-claim.ts';
import { VenueBudget } from './connection/venue-budget.ts';
import type { Venue } from './feed.ts';
import { webNetwork } from './network.ts';
import { fetchPastDay, PastDayError } from './past/past-days.ts';
import { isBlank, notedPast, type WantedPast } from './past/past-note.ts';
import { steadyNow } from './steady-now.ts';
import { readVenueKey } from './venue-key.ts';
import type { VenueKind } from './venue-kind.ts';
import { feedContract, VenueSource } from './venue-source.ts';
import { venueNamed } from './venues.ts';

const NOTHING: FillPlan = { ready: [], rest: [] };
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
  #sourceOptions: SourceOptions | null = null;
  #pastFrom: EpochNs | null = null;

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

  /** The days before the first one of the tape that were wanted, the newest first. */
  async planFill(
    disk: Disk,
    tapeRoot: string,
    now: EpochNs,
    intake: PlanIntake,
  ): Promise<FillPlan> {
    const past = this.#wantedPast(now, intake);
    if (past === null) return NOTHING;
    this.#pastFrom = past.from;
    const sealed = await readManifest(disk, tapeRoot, this.dataset);
    const imported = await readImported(disk, tapeRoot, this.dataset);
    const isDayOver = sealed?.days.values().some((days) => days.has(past.until)) === true;
    const rest: FillItem[] = [];
    for (let day = addDays(past.until, -1); day >= dayOf(past.from); day = addDays(day, -1)) {
      for (const { contract } of this.#listed.contracts) {
        const { symbol, expiresAt } = contract;
        const days = sealed?.days.get(symbol);
        // A contract that was added later begins later.
        if (isDayOver && days?.has(past.until) !== true) continue;
        const isSealed = days?.has(day) === true;
        const isThere = isSealed || imported?.days.get(symbol)?.get(day)?.gaps.length === 0;
        if (!isThere && expiresAt > epochNs(day, 0)) rest.push({ symbol, day });
      }
    }
    return { ready: [], rest };
  }

  /** From the venue's pages, behind the running feed. */
  async fill(request: FillRequest): Promise<readonly string[]> {
    const { disk, tapeRoot, items, manifest, signal, onSealed } = request;
    const { clock, monotonicNs, hoursOf } = this.#sourceOptions!;
    const venue = this.#open();
    const budget = new VenueBudget(venue.limits, this.#setting.budget);
    const now = steadyNow(clock, monotonicNs);
    const conflicts: string[] = [];
    const stopped = aborted(signal).then(() => null);
    for (const item of items) {
      const { symbol, day } = item;
      const named = this.#listed.contracts.find(({ contract }) => contract.symbol === symbol);
      if (named === undefined) continue;
      const contract = feedContract(named, this.#kind.name, hoursOf);
      const from = later(this.#pastFrom!, epochNs(day, 0));
      const place = { venue, budget, network: webNetwork, clock, now };
      try {
        const fetched = await fetchPastDay(place, contract, from, signal);
        if (fetched === null) return conflicts;
        if (fetched.kind === 'forgotten') {
          conflicts.push(`${symbol} ${day} (${this.#kind.title} has no trades of it)`);
          continue;
        }
        const { batch, late, gaps } = fetched;
        const seal = { dataset: this.dataset, symbol, batch, late, gaps };
        const digest = await Promise.race([sealDay(disk, tapeRoot, seal), stopped]);
        // A stop does not wait for the rest of it, and a day is on disk completely or not at all.
        if (digest === null) return conflicts;
        await manifest.sealed([{ symbol, day, digest }]);
        onSealed(item);
      } catch (error) {
        if (!(error instanceof PastDayError)) throw new FillError(item, error);
        conflicts.push(`${symbol} ${day} (${error.message})`);
      }
    }
    return conflicts;
  }

  source(options: SourceOptions): TradeSource {
    const { feed, budget } = this.#setting;
    const venue = this.#open();
    this.#sourceOptions = options;
    this.#source = new VenueSource({
      ...options,
      venue,
      budget: new VenueBudget(venue.limits, budget),
      feed,
      // What is before comes by `fill`.
      ...(venue.page === null ? {} : { beginsFrom: epochNs(options.resumeDay, 0) }),
      feedName: this.#kind.name,
      listed: () => this.#listed,
      network: webNetwork,
    });
    return this.#source;
  }

  /** Null: the tape has no past, or a repeated stream has brought it. */
  #wantedPast(now: EpochNs, intake: PlanIntake): WantedPast | null {
    const symbols = this.#listed.contracts.map(({ contract }) => contract.symbol);
    if (!isBlank(intake, symbols)) return notedPast(intake);
    const { backfillMs } = this.#setting.feed;
    if (backfillMs === 0 || this.#open().page === null) return null;
    const from = (now - BigInt(backfillMs) * MS_NS_BIG) as EpochNs;
    return { from, until: dayOf(intake.promise ?? now) };
  }

  #open(): Venue {
    const { addresses, venueDataset } = this.#setting.feed;
    return this.#kind.open({ addresses, key: this.#key, venueDataset });
  }
}

function marketOf(listed: ListedDataset): FilesMarket {
  return new FilesMarket(listed, new Map(), new Map());
}
