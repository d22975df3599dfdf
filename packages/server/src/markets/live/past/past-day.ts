/**
 * One past day of a contract out of its venue's pages, as a pure machine. It looks for the first trade behind the day.
 * A line then fetches the numbers from the day's beginning up to that trade, and proves that none is missing or reports
 * which are. Trades are stamped as on a live tape: one that is earlier than the trade before it takes its time.
 */

import { type EpochNs, LOTS_MAX, type Rank, type UtcDay } from '@tapeloom/core/numbers';
import {
  allocateBatch,
  type TradeBatch,
  type WritableTradeBatch,
} from '@tapeloom/core/trade-batch';
import { DAY_NS, DAY_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import { dayNumber, dayOf, epochNs, later } from '@tapeloom/core/utc-day';
import type { DaySpan } from '../../../tape/tape.ts';
import type { FeedContract, Venue } from '../feed.ts';
import { FirstTradeSearch } from '../lines/first-trade-search.ts';
import {
  type FeedTrade,
  instantOf,
  type Line,
  type PageReading,
  type PageWish,
} from '../lines/line.ts';
import { LineBudget } from '../lines/line-budget.ts';
import { offGrid } from '../on-grid.ts';
import type { Loss } from '../watermark/gap-ledger.ts';
import { openStretches } from '../watermark/open-hours.ts';

const TAKEN_AT_ONCE = 32_768;
/** Far above the busiest day of any contract: more is a fault of the venue's numbers. */
const DAY_TRADES_MAX = 50_000_000;
const TRY_AGAIN_NS = 250n * MS_NS_BIG;

export type PastDayResult =
  | {
      readonly kind: 'day';
      readonly batch: TradeBatch;
      /** Stamp minus venue time of every trade. */
      readonly late: Float64Array;
      /** Open hours whose trades the venue does not have. */
      readonly gaps: readonly DaySpan[];
    }
  /** The venue remembers nothing of it. */
  | { readonly kind: 'forgotten' };

export class PastDay {
  readonly #venue: Pick<Venue, 'line'>;
  readonly #contract: FeedContract;
  readonly #from: EpochNs;
  readonly #to: EpochNs;
  readonly #day: UtcDay;
  readonly #search: FirstTradeSearch;
  #asked = false;
  #tryAgainAt: EpochNs | null = null;
  /** Null while the end is looked for. */
  #line: Line | null = null;
  /** The first number behind the day. */
  #endId = 0;
  #rows: WritableTradeBatch | null = null;
  #late = new Float64Array(0);
  /** Of the newest trade. */
  #stamp: number;
  readonly #missing: DaySpan[] = [];
  #fault: string | null = null;
  result: PastDayResult | null = null;
  readonly checkWish = null;

  /** From `from` on, which lies on the day. */
  constructor(venue: Pick<Venue, 'line'>, contract: FeedContract, from: EpochNs) {
    this.#venue = venue;
    this.#contract = contract;
    this.#from = from;
    this.#day = dayOf(from);
    this.#to = (epochNs(this.#day, 0) + DAY_NS_BIG) as EpochNs;
    this.#search = new FirstTradeSearch(this.#to);
    this.#stamp = this.#nsOf(from);
    this.#miss(0, this.#stamp);
  }

  get fault(): string | null {
    return this.#fault ?? this.#line?.fault ?? null;
  }

  wanted(now: EpochNs): PageWish | null {
    if (this.result !== null) return null;
    if (this.#line !== null) return this.#line.wanted(now);
    const isEarly = this.#tryAgainAt !== null && now < this.#tryAgainAt;
    if (this.#asked || isEarly) return null;
    this.#asked = true;
    return this.#search.wish();
  }

  page(wish: PageWish, reading: PageReading, now: EpochNs): void {
    if (this.#line === null) this.#look(wish, reading, now);
    else this.#line.page(wish, reading, now);
    if (this.#line !== null) this.#collect(this.#line, now);
  }

  pageFailed(): void {
    this.#asked = false;
    this.#line?.pageFailed();
  }

  lacks(): boolean {
    return false;
  }

  #look(wish: PageWish, reading: PageReading, now: EpochNs): void {
    this.#asked = false;
    this.#search.page(wish, reading);
    const isEmpty = reading.kind === 'trades' && reading.trades.length === 0;
    this.#tryAgainAt = isEmpty ? ((now + TRY_AGAIN_NS) as EpochNs) : null;
    const { found } = this.#search;
    if (found === null) return;
    if (found.id === null || found.from > this.#to) {
      this.result = { kind: 'forgotten' };
      return;
    }
    this.#endId = found.id;
    const budget = new LineBudget();
    const [contract, beginAt] = [this.#contract, this.#from];
    this.#line = this.#venue.line({ contract, budget, lastId: -1, position: null, beginAt });
    this.#line.connected(now);
  }

  #collect(line: Line, now: EpochNs): void {
    if (line.isSearching === true || this.result !== null) return;
    if (this.#rows === null && !this.#showEnd(line, now)) return;
    for (;;) {
      const output = line.take(TAKEN_AT_ONCE);
      if (output === null) return;
      for (const trade of output.trades) {
        if (trade.id >= this.#endId) {
          this.#finish(this.#rows!);
          return;
        }
        this.#add(trade, this.#rows!);
      }
      if (output.loss !== null) this.#lose(output.loss);
    }
  }

  /** The line knows where it begins: what lies between that and the end is a hole. False: there is nothing. */
  #showEnd(line: Line, now: EpochNs): boolean {
    const first = line.first ?? null;
    const isUnknown = first === null || first.id === null || first.from >= this.#to;
    // With number 1 at the earliest the contract begins later.
    if (isUnknown || this.#endId <= 1) {
      this.result = { kind: 'forgotten' };
      return false;
    }
    this.#miss(this.#nsOf(this.#from), this.#nsOf(later(this.#from, first.from)));
    const trades = Math.max(0, this.#endId - first.id);
    if (trades > DAY_TRADES_MAX) {
      this.#fault = `the venue numbers ${trades} trades on one day`;
      return false;
    }
    this.#rows = allocateBatch(this.#day, 1 as Rank, trades);
    this.#late = new Float64Array(trades);
    if (trades === 0) {
      this.#finish(this.#rows);
      return false;
    }
    const end = { id: this.#endId, day: dayNumber(dayOf(this.#to)), ns: 0 };
    line.live([{ ...end, price: 1, size: 1, side: 0 }], now);
    return true;
  }

  #add(trade: FeedTrade, rows: WritableTradeBatch): void {
    const fault = offGrid(trade);
    if (fault !== null) {
      this.#fault ??= fault;
      return;
    }
    const { price, size, side } = trade;
    const ns = Number(instantOf(trade) - epochNs(this.#day, 0));
    const stamp = Math.min(Math.max(ns, this.#stamp), DAY_NS - 1);
    if (size > LOTS_MAX) this.#miss(stamp, stamp + 1);
    if (size === 0 || size > LOTS_MAX) return;
    const row = rows.count;
    rows.ts[row] = stamp;
    rows.price[row] = price;
    rows.size[row] = size;
    rows.side[row] = side;
    this.#late[row] = stamp - ns;
    rows.count = row + 1;
    this.#stamp = stamp;
  }

  #lose({ from, to }: Loss): void {
    const begin = Math.max(this.#nsOf(from), this.#stamp);
    this.#miss(begin, Math.max(begin + 1, this.#nsOf(to)));
  }

  /** Of the day, as far as the market was open. */
  #miss(fromNs: number, toNs: number): void {
    const midnight = epochNs(this.#day, 0);
    const at = (ns: number) => (midnight + BigInt(Math.min(ns, DAY_NS))) as EpochNs;
    for (const { from, to } of openStretches(this.#contract.hours, at(fromNs), at(toNs))) {
      const last = this.#missing.at(-1);
      const [begin, end] = [Number(from - midnight), Number(to - midnight)];
      if (last !== undefined && begin <= last[1]) {
        this.#missing[this.#missing.length - 1] = [last[0], Math.max(last[1], end)];
      } else this.#missing.push([begin, end]);
    }
  }

  #finish(rows: WritableTradeBatch): void {
    this.result = { kind: 'day', batch: rows, late: this.#late, gaps: this.#missing };
  }

  /** Within the day, from its midnight on. */
  #nsOf(at: EpochNs): number {
    const ns = at - epochNs(this.#day, 0);
    if (ns <= 0n) return 0;
    return ns >= DAY_NS_BIG ? DAY_NS : Number(ns);
  }
}
