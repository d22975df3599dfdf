/**
 * Pages of history, in cursor order: settled ones (final upserts and removes; in mode `live` a range without
 * `untilCursor` ends with the objects still forming at `to`), or with a snapshot the state at `from` and then the
 * stream's messages. A page ends at its limit, its size or a number of trades, then possibly empty. Following `next`
 * returns the range exactly once; the trades of the pages, by rank, add up to those of the range. A tail is never cut:
 * if it does not fit, it gets its own page.
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { Block } from '../blocks/block.ts';
import { Refusal } from '../platform/refusal.ts';
import type { DayPart, DaysRead, SettledDaysRequest } from '../results/settled-days.ts';
import { tradesBetween } from '../runs/coverage.ts';
import type { Replay, ReplayPage, ReplayRequest } from '../runs/replay.ts';
import { type CoveredQuery, lookBackText } from './covered-query.ts';
import { type GapList, gapListOf } from './gap-list.ts';
import type { HistoryQuery } from './history-query.ts';
import { PageItems } from './page-items.ts';
import { type ServedDays, tapeRevision, withRevision } from './tape-revision.ts';

export interface HistoryPageLimits {
  /** Of all items together, as text. */
  readonly bytes: number;
  /** A page ends when it has covered so many trades. */
  readonly trades: number;
  /** The most items of a page by indicator, where it is below the limit of a request. */
  readonly itemsOf: Readonly<Record<string, number>>;
}

export const PAGE_BYTES_MAX = 16 * 1024 * 1024;
/** The rest of a page is smaller. */
const SURROUNDING_BYTES = 4_096;
export const PAGE_LIMITS: HistoryPageLimits = {
  bytes: PAGE_BYTES_MAX - SURROUNDING_BYTES,
  trades: 50_000_000,
  itemsOf: { footprint: 5_400 },
};
/** Later than every trade, so all are counted. */
const NEVER = (2n ** 63n - 1n) as EpochNs;

const NO_DAYS: ServedDays = new Map();

export interface HistoryPage {
  /** The page as JSON, in UTF-8. */
  readonly bytes: Buffer;
  readonly items: number;
  readonly trades: number;
  readonly computeUnits: number;
  /** With the revision of imported days; null on the last page. */
  readonly next: string | null;
}

/** Reads that end when their signal is aborted: the compute pool. */
export interface HistorySources {
  readonly days: {
    read(request: SettledDaysRequest, signal?: AbortSignal): Promise<DaysRead>;
  };
  readonly replays: { open(request: ReplayRequest, signal?: AbortSignal): Promise<Replay> };
}

export interface HistoryPagesOptions extends HistorySources {
  readonly engineFingerprint: string;
  readonly limits?: Partial<HistoryPageLimits>;
  /** The imported days when the request arrived; left out if there are none. */
  readonly servedDays?: ServedDays;
}

export interface PaidWork {
  readonly signal?: AbortSignal;
  /** No computation starts before it resolves. */
  readonly reserved?: Promise<void>;
}

export class HistoryPages {
  readonly #options: HistoryPagesOptions;
  readonly #limits: HistoryPageLimits;

  constructor(options: HistoryPagesOptions) {
    this.#options = options;
    this.#limits = { ...PAGE_LIMITS, ...options.limits };
  }

  /** Rejects with a `Refusal`, or with a fault of ours. */
  async page(covered: CoveredQuery, account: string, paid: PaidWork = {}): Promise<HistoryPage> {
    const { query } = covered;
    const { bytes, itemsOf } = this.#limits;
    const countMax = Math.min(query.limit, itemsOf[query.indicator] ?? query.limit);
    const gaps = gapListOf([covered]);
    const gapsBytes = gaps === null ? 0 : JSON.stringify(gaps).length;
    const items = new PageItems(countMax, bytes - gapsBytes);
    const end = query.hasSnapshot
      ? await this.#published(covered, account, items, paid)
      : await this.#settled(covered, account, items, paid);
    const left = end === null ? 0 : tradesBetween(covered.coverage, end, query.untilCursor);
    const trades = covered.trades - left;
    const computeUnits = trades * query.computeUnitsPerTrade;
    const count = items.count;
    const next = end === null ? null : this.#next(query, end);
    const encoded = items.encode(
      this.#opening(covered, gaps),
      `,"next":${JSON.stringify(next)},"computeUnits":${computeUnits}}`,
    );
    return { bytes: encoded, items: count, trades, computeUnits, next };
  }

  #next({ contract, from }: HistoryQuery, cursor: string): string {
    const { servedDays = NO_DAYS } = this.#options;
    const { day } = parseCursor(cursor)!;
    return withRevision(cursor, tapeRevision(servedDays, contract, dayOf(from), day));
  }

  #opening({ query, coverage }: CoveredQuery, gaps: GapList | null): string {
    const { instrument, contract, dataset, tickSizeNanos, to, untilCursor } = query;
    const head = {
      instrument,
      contract,
      dataset,
      tickSizeNanos,
      engineFingerprint: this.#options.engineFingerprint,
      ...(untilCursor === null ? { to: String(to) } : { untilCursor }),
      lookBackFrom: lookBackText(coverage),
      ...gaps,
      ...(query.hasSnapshot && query.cursor === null ? { snapshot: true } : {}),
    };
    return `${JSON.stringify(head).slice(0, -1)},"items":`;
  }

  async #settled(
    { query, start, until }: CoveredQuery,
    account: string,
    items: PageItems,
    { signal, reserved }: PaidWork,
  ): Promise<string | null> {
    const { contract, indicator, params, cursor, untilCursor, mode } = query;
    const { allowsGaps = false } = query;
    const after = cursor === null ? null : parseCursor(cursor)!;
    const last = untilCursor === null ? null : parseCursor(untilCursor)!;
    const from = start < query.from ? query.from : start;
    const hasTail = mode === 'live' && last === null;
    const lastDay = last?.day ?? dayOf((until - 1n) as EpochNs);
    const range = { from, after, until, last, hasTail, allowsGaps };
    const how = { form: 'blocks' as const, isAtOnce: true };
    const request = { account, contract, indicator, params, ...range, ...how };
    await using read = await this.#options.days.read(request, signal);
    await reserved;
    const walk = new SettledWalk(items, this.#limits.trades, after, lastDay);
    for (;;) {
      const page = await read.next();
      if (page === null) return null;
      for (const part of page.parts) {
        if (!part.isWarm && !allowsGaps)
          throw new Refusal({ t: 'not-warm', indicator, day: part.day });
        const end = walk.take(part);
        if (end !== undefined) return end;
      }
    }
  }

  async #published(
    { query, publishedUntil: until }: CoveredQuery,
    account: string,
    items: PageItems,
    { signal, reserved }: PaidWork,
  ): Promise<string | null> {
    const { contract, indicator, params, from: time, cursor, depth, mode, untilCursor } = query;
    const { allowsGaps = false } = query;
    const from: ReplayRequest['from'] =
      cursor === null ? { t: 'at', time, depth, mode } : { t: 'after', cursor };
    const what = { account, contract, indicator, params, from, until, allowsGaps };
    const request = { ...what, chargedBefore: NEVER, isAtOnce: true };
    await using replay = await this.#options.replays.open(request, signal);
    await reserved;
    const last = untilCursor === null ? null : parseCursor(untilCursor)!;
    const walk = new PublishedWalk(items, this.#limits.trades, last, mode === 'confirmed');
    for (;;) {
      const end = walk.take(await replay.next());
      if (end !== undefined) return end;
    }
  }
}

/** Adds settled days to a page and finds its end. */
class SettledWalk {
  readonly #items: PageItems;
  readonly #tradesMax: number;
  readonly #after: Cursor | null;
  readonly #lastDay: UtcDay;
  #lastTaken: string | null = null;
  #covered = 0;
  /** The position covered so far. */
  #day: UtcDay | null = null;
  #rank = 0;

  constructor(items: PageItems, tradesMax: number, after: Cursor | null, lastDay: UtcDay) {
    this.#items = items;
    this.#tradesMax = tradesMax;
    this.#after = after;
    this.#lastDay = lastDay;
  }

  /** `next` if the page ends here, null if the range ends, undefined if neither ends. */
  take(part: DayPart): string | null | undefined {
    const { day, blocks, tail } = part;
    const items = this.#items;
    for (const parts of blocks) {
      const block = new Block(parts);
      const taken = items.add(block, { first: 0, end: block.count });
      if (taken > 0) this.#lastTaken = block.cursorText(taken - 1);
      if (taken < block.count) return this.#lastTaken;
    }
    if (tail !== null && tail.count > 0) {
      return items.addWhole(new Block(tail)) ? null : this.#lastTaken;
    }
    this.#cover(part);
    if (items.isFull && day < this.#lastDay) return this.#lastTaken;
    if (this.#covered >= this.#tradesMax) return this.#endAfter(part);
    return undefined;
  }

  #cover({ day, rank }: DayPart): void {
    const before = day === this.#day ? this.#rank : 0;
    const from = day === this.#after?.day ? Math.max(before, this.#after.rank) : before;
    this.#day = day;
    this.#rank = rank;
    this.#covered += Math.max(0, rank - from);
  }

  /** The position after a part, if it is known and beyond the start of the page. */
  #endAfter({ day, isDayOver, updates }: DayPart): string | null | undefined {
    if (isDayOver && day < this.#lastDay) return formatCursor(midnightAfter(day));
    return updates > 0 ? this.#lastTaken : undefined;
  }
}

function midnightAfter(day: UtcDay): Cursor {
  return { day: addDays(day, 1), rank: 0 as Rank, k: 0 };
}

/** The same for the messages of a stream. */
class PublishedWalk {
  readonly #items: PageItems;
  readonly #tradesMax: number;
  readonly #last: Cursor | null;
  readonly #isConfirmed: boolean;
  #lastTaken: string | null = null;
  #covered = 0;

  constructor(items: PageItems, tradesMax: number, last: Cursor | null, isConfirmed: boolean) {
    this.#items = items;
    this.#tradesMax = tradesMax;
    this.#last = last;
    this.#isConfirmed = isConfirmed;
  }

  /** As `SettledWalk.take`. */
  take({ blocks, position, chargedTrades, isLast }: ReplayPage): string | null | undefined {
    for (const parts of blocks) {
      const end = this.#takeBlock(new Block(parts));
      if (end !== undefined) return end;
    }
    if (isLast || this.#isAtEnd(position)) return null;
    this.#lastTaken = position;
    this.#covered += chargedTrades;
    // The position after trades is beyond the start of the page.
    const isEnough = this.#items.isFull || this.#covered >= this.#tradesMax;
    return isEnough ? position : undefined;
  }

  #takeBlock(block: Block): string | null | undefined {
    const snapshots = block.kind(0) === 'snapshot' ? 1 : 0;
    const end =
      this.#last === null ? block.count : Math.max(snapshots, block.countUpTo(this.#last));
    for (let first = 0; first < end; ) {
      const isShown = !this.#isConfirmed || first < snapshots || block.isFinal(first);
      const next = this.#isConfirmed ? first + 1 : end;
      const stop = isShown ? this.#items.add(block, { first, end: next }) : next;
      if (isShown && stop > first) this.#lastTaken = block.cursorText(stop - 1);
      if (stop < next) return this.#lastTaken;
      first = next;
    }
    return end < block.count ? null : undefined;
  }

  #isAtEnd(position: string): boolean {
    return this.#last !== null && compareCursors(parseCursor(position)!, this.#last) >= 0;
  }
}
