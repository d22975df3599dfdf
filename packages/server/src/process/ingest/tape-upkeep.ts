/**
 * The work of a thread that writes a tape beside its trades: it keeps contracts and session books up to date, removes
 * old days and generates past ones.
 */

import { dirname } from 'node:path';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import {
  extendSessionBook,
  type SessionBook,
  sessionTable,
} from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import {
  FillError,
  type FillItem,
  type FillPlan,
  type LiveMarket,
  type MarketListing,
} from '../../markets/market.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { FaultRetry, type FaultRetryOptions } from '../../platform/waiting/fault-retry.ts';
import { isPassingThreadFault } from '../../platform/waiting/passing-fault.ts';
import type { ContractRemoval } from '../../tape/remove/plan-removal.ts';
import type { TapeManifest } from '../../tape/tape-manifest.ts';
import { sessionDates } from '../../tape/write/session-dates.ts';
import { SessionStore } from '../../tape/write/session-store.ts';
import type { FromIngest } from './ingest-wire.ts';
import type { OldDaysNews } from './large-removals.ts';
import { removeOldImportedDays, removeOldLiveDays, removeRepairsOfGoneDays } from './old-days.ts';

export interface TapeUpkeepOptions {
  readonly market: LiveMarket;
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly keepDays: number;
  readonly waits: FaultRetryOptions;
  readonly now: EpochNs;
  readonly send: (news: FromIngest) => void;
}

export interface FillTerms {
  readonly manifest: TapeManifest;
  readonly today: UtcDay;
  readonly signal: AbortSignal;
}

export class TapeUpkeep {
  readonly #options: TapeUpkeepOptions;
  /** A separate one: the tape does not wait for past days. */
  readonly #fillRetry: FaultRetry;
  #listing: MarketListing;
  /** By calendar. */
  #hours: ReadonlyMap<string, SessionTable> = new Map();

  constructor(options: TapeUpkeepOptions) {
    this.#options = options;
    this.#fillRetry = new FaultRetry(options.waits);
    this.#listing = options.market.listing(dayOf(options.now));
  }

  listed(day: UtcDay): readonly string[] {
    return this.#listing.streamedOn(day).map(({ symbol }) => symbol);
  }

  refreshListing(now: EpochNs): void {
    this.#listing = this.#options.market.listing(dayOf(now));
  }

  /** Refreshes contracts and session books; the books are on disk before they are used. */
  async enterDay(now: EpochNs, daysToCome?: readonly UtcDay[]): Promise<SessionBook[]> {
    const { market, disk, tapeRoot } = this.#options;
    this.refreshListing(now);
    const { dataset } = market;
    const store = new SessionStore(disk, tapeRoot, dataset);
    const { from, to } = await sessionDates(disk, tapeRoot, dataset, now, daysToCome);
    const books: SessionBook[] = [];
    for (const name of new Set(this.#listing.contracts.map(({ calendar }) => calendar))) {
      const book = extendSessionBook(await store.load(name), market.calendar(name), from, to, now);
      await store.save(book);
      books.push(book);
    }
    this.#hours = new Map(books.map((book) => [book.calendar, sessionTable(book, 'full')]));
    return books;
  }

  /** A contract's trading days, as far as its book reaches; null before the first one. */
  hoursOf(symbol: string): SessionTable | null {
    const calendar = this.#listing.book.contract(symbol)?.calendar;
    return this.#hours.get(calendar ?? '') ?? null;
  }

  /** Removed days, and days that would be removed, are not generated again. */
  onlyKept({ ready, rest }: FillPlan, manifest: TapeManifest, today: UtcDay): FillPlan {
    const { keepDays } = this.#options;
    const oldest = keepDays === 0 ? 0 : addDays(today, -keepDays);
    const isWanted = ({ symbol, day }: FillItem) =>
      day >= oldest && !manifest.isRemoved(symbol, day);
    return { ready: ready.filter(isWanted), rest: rest.filter(isWanted) };
  }

  /** A failed removal is retried with the next refresh; nothing depends on it. */
  async removeOldDays(manifest: TapeManifest, now: EpochNs): Promise<readonly ContractRemoval[]> {
    const { market, disk, tapeRoot, keepDays, send } = this.#options;
    if (keepDays === 0) return [];
    const tell = (news: OldDaysNews) => send({ t: 'old-days', news });
    const place = { disk, data: dirname(tapeRoot), keepDays, now, tell };
    const calendarOf = (symbol: string) => this.#listing.book.contract(symbol)?.calendar ?? null;
    try {
      await removeOldImportedDays(place);
      return await removeOldLiveDays(place, market.dataset, manifest, dayOf(now), calendarOf);
    } catch (error) {
      send({ t: 'fault', what: 'old days could not be removed', error });
      return [];
    }
  }

  /** On a node that follows, whose days are removed by the one that appends. */
  async removeOldRepairs(manifest: TapeManifest, now: EpochNs): Promise<void> {
    const { market, disk, tapeRoot, keepDays, send } = this.#options;
    if (keepDays === 0) return;
    const place = { disk, data: dirname(tapeRoot), keepDays, now, tell: () => undefined };
    try {
      await removeRepairsOfGoneDays(place, market.dataset, manifest);
    } catch (error) {
      send({ t: 'fault', what: 'old imported days could not be removed', error });
    }
  }

  /** Days that could not be sealed are missing, which is logged; the source does not need them. */
  async fill(part: 'first' | 'rest', items: readonly FillItem[], terms: FillTerms): Promise<void> {
    const { market, disk, tapeRoot, send } = this.#options;
    if (items.length === 0) return;
    const done = new Set<FillItem>();
    const tell = (item: FillItem | null) =>
      send({ t: 'filled', part, days: done.size, daysTotal: items.length, item });
    tell(null);
    const onSealed = (item: FillItem) => {
      done.add(item);
      tell(item);
    };
    try {
      const fillRest = () => {
        const rest = items.filter((item) => !done.has(item));
        return market.fill({ ...terms, disk, tapeRoot, items: rest, onSealed });
      };
      const isPassing = (error: unknown) =>
        isPassingThreadFault(error instanceof FillError ? error.cause : error);
      const { signal } = terms;
      const conflicts = await this.#fillRetry.run(fillRest, { isPassing, signal });
      if (conflicts.length > 0) throw new Error(conflicts.join(', '));
    } catch (error) {
      send({ t: 'fault', what: 'some past days could not be generated', error });
    }
  }
}
