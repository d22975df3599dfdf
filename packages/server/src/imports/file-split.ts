/** Splits a file's trades by contract and day. Each is taken exactly or counted as left out; else the file fails. */

import type { Contract } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { DayRows } from '../feeds/day-rows.ts';
import { shortest } from '../feeds/decimals.ts';
import { FeedError, type FeedTrades } from '../feeds/feed-trades.ts';
import { Grid, greatestCommonDivisor } from '../feeds/grid.ts';
import type { OpenFeed } from '../feeds/open-feed.ts';
import { type ContractNames, type MistakenContract, mistakenContract } from './contract-names.ts';
import type { StagedRows } from './staged-rows.ts';

const NANO_DECIMALS = 9;
const ZERO_SIZE = 'size zero';

export interface SplitOptions {
  readonly names: ContractNames;
  /** All trades are of this contract, whatever name the file uses. */
  readonly contract: Contract | null;
  readonly today: UtcDay;
  /** Trades in memory before they are staged. */
  readonly rowsMax: number;
}

/** The tick and lot of a contract, and the factors that convert numbers of the current batch to them. */
interface Terms {
  readonly symbol: string;
  readonly price: Grid;
  readonly size: Grid;
  batch: number;
  priceFactor: number;
  sizeFactor: number;
}

/** The destination of an instrument's trades on the day of its last one; without terms they are only counted. */
interface Lane {
  day: number;
  terms: Terms | null;
  rows: DayRows | null;
  left: number;
}

export class FileSplit {
  readonly #feed: OpenFeed;
  readonly #staged: StagedRows;
  readonly #options: SplitOptions;
  readonly #lanes: Lane[] = [];
  readonly #terms = new Map<string, Terms>();
  #only: number | null = null;
  #batch = 0;
  #waiting = 0;
  #zeroSizes = 0;
  /** Trades that became rows of a day. */
  trades = 0;

  constructor(feed: OpenFeed, staged: StagedRows, options: SplitOptions) {
    this.#feed = feed;
    this.#staged = staged;
    this.#options = options;
  }

  get leftOut(): ReadonlyMap<string, number> {
    const counts = new Map(this.#feed.counts());
    const add = (what: string, times: number) => {
      if (times > 0) counts.set(what, (counts.get(what) ?? 0) + times);
    };
    add(ZERO_SIZE, this.#zeroSizes);
    for (const [index, lane] of this.#lanes.entries()) {
      if (lane === undefined) continue;
      const why = this.#feed.skippedAs(index) ?? 'no contract of the instruments then';
      add(`trades of ${this.#feed.nameOf(index)}, ${why}`, lane.left);
    }
    return counts;
  }

  add(batch: FeedTrades): void {
    this.#batch += 1;
    for (let from = 0; from < batch.count; ) {
      const to = endOfRun(batch, from);
      const lane = this.#laneOf(batch, from);
      const { terms } = lane;
      if (terms === null) lane.left += to - from;
      else {
        if (terms.batch !== this.#batch) this.#align(terms, batch);
        this.#take(batch, from, to, terms, lane.rows!);
      }
      from = to;
    }
  }

  /** Takes trades of one instrument and day: nearly all in bulk, a trade that cannot be converted so alone. */
  #take(batch: FeedTrades, begin: number, to: number, terms: Terms, rows: DayRows): void {
    const { ns, prices, sizes, sides } = batch;
    const { price, priceFactor, size, sizeFactor } = terms;
    const before = rows.count;
    rows.makeRoom(to - begin);
    for (let from = begin; from < to; from += 1) {
      const at = rows.count;
      const placed = { values: prices, factor: priceFactor };
      const priced = price.placeMany(placed, from, to, rows.price, at);
      const sized = size.placeMany(
        { values: sizes, factor: sizeFactor },
        from,
        priced,
        rows.size,
        at,
      );
      rows.addPlaced(ns, sides, from, sized);
      from = sized;
      if (from === to) break;
      if (sizes[from] === 0) {
        this.#zeroSizes += 1;
        continue;
      }
      const ticks = price.place(prices[from]! * priceFactor, batch, from);
      const lots = size.place(sizes[from]! * sizeFactor, batch, from);
      rows.add(ns[from]!, ticks, lots, sides[from]!);
    }
    this.trades += rows.count - before;
    this.#waiting += rows.count - before;
  }

  /** Called between batches. */
  async settle(): Promise<void> {
    if (this.#waiting < this.#options.rowsMax) return;
    await this.#staged.spill();
    for (const lane of this.#lanes) if (lane !== undefined) lane.rows = null;
    this.#waiting = 0;
  }

  /** The lane of a trade's instrument, prepared for its day. */
  #laneOf(batch: FeedTrades, at: number): Lane {
    const index = batch.instruments[at]!;
    const day = batch.days[at]!;
    let lane = this.#lanes[index];
    if (lane === undefined) {
      lane = { day: 0, terms: null, rows: null, left: 0 };
      this.#lanes[index] = lane;
    }
    if (lane.day !== day) {
      if (day > this.#options.today) {
        const row = batch.rowOf(at);
        throw new FeedError(`Row ${row} has a time on ${day}, which is in the future.`, row);
      }
      const contract = this.#contractOf(index, day as UtcDay, () => batch.rowOf(at));
      lane.day = day;
      lane.terms = contract === null ? null : this.#termsOf(contract);
      lane.rows = null;
    }
    if (lane.terms !== null) lane.rows ??= this.#staged.rowsOf(lane.terms.symbol, day as UtcDay);
    return lane;
  }

  #contractOf(index: number, day: UtcDay, rowOf: () => number): Contract | null {
    if (this.#feed.skippedAs(index) !== null) return null;
    const { contract, names } = this.#options;
    if (contract === null) {
      const called = this.#feed.namesOf(index);
      const found = names.find(called, day);
      const mistaken = found === null ? names.mistaken(called, day) : null;
      if (mistaken !== null) throw new FeedError(mistakenText(mistaken, day, rowOf()), rowOf());
      return found;
    }
    const mistaken = mistakenContract(contract, day);
    if (mistaken !== null) throw new FeedError(mistakenText(mistaken, day, rowOf()), rowOf());
    this.#only ??= index;
    if (this.#only !== index) {
      const found = [this.#only, index].map((one) => this.#feed.nameOf(one)).join(' and ');
      throw new FeedError(
        `The file has trades of ${found}, but --contract requires a file with one.`,
      );
    }
    return contract;
  }

  #termsOf({ symbol, tickSizeNanos, lotSizeNanos }: Contract): Terms {
    const known = this.#terms.get(symbol);
    if (known !== undefined) return known;
    const grid = (what: string, unitName: string, nanos: number) =>
      new Grid({
        what,
        unitName,
        unit: shortest(BigInt(nanos), NANO_DECIMALS),
        isHeld: true,
        remedy: `It is that of ${symbol} in the file of instruments, where a finer one can be said.`,
        finer: greatestCommonDivisor,
        onFiner: () => {},
      });
    const terms = {
      symbol,
      price: grid('price', 'tick', tickSizeNanos),
      size: grid('size', 'lot', lotSizeNanos),
      batch: 0,
      priceFactor: 0,
      sizeFactor: 0,
    };
    this.#terms.set(symbol, terms);
    return terms;
  }

  #align(terms: Terms, { priceDecimals, sizeDecimals }: FeedTrades): void {
    terms.batch = this.#batch;
    terms.priceFactor = terms.price.align(priceDecimals);
    terms.sizeFactor = terms.size.align(sizeDecimals);
  }
}

function mistakenText(
  { name, listed, listedMonth, meantMonth }: MistakenContract,
  day: UtcDay,
  row: number,
): string {
  const expiry = dayOf(listed.expiresAt);
  if (listedMonth === null || meantMonth === null) {
    return `Row ${row} has a trade of ${day}, and ${listed.symbol} expired on ${expiry}. Name its contract.`;
  }
  return (
    `Row ${row} has a trade of ${day}. ${name} was the contract of ${meantMonth} then; ` +
    `${listed.symbol} of the instruments is that of ${listedMonth}, which expires on ${expiry}. ` +
    `Add the contract of ${meantMonth} to the file of instruments, with the name ${name}.`
  );
}

/** The end of the run of trades with the same instrument and day. */
function endOfRun({ count, instruments, days }: FeedTrades, from: number): number {
  const instrument = instruments[from];
  const day = days[from];
  let to = from + 1;
  while (to < count && instruments[to] === instrument && days[to] === day) to += 1;
  return to;
}
