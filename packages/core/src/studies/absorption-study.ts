/**
 * Prices that held against one side. A print that fills the window of its price and side to the threshold starts a
 * hold. A trade too far beyond the price breaks it; otherwise it becomes an object by the clock, final at once, so
 * nothing shown is ever taken back. All holds last equally long and so end in the order they started. A print counts
 * for one hold at most, in its window or its time, broken or not: so no two objects have the same first print.
 */

import type { Rank, UtcDay } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { DAY_NS, MS_NS } from '../units.ts';
import { addDays, epochNsText } from '../utc-day.ts';
import { unrolled } from './growing-columns.ts';
import { HeldPrices } from './held-prices.ts';
import { PriceSlots } from './price-slots.ts';
import { PrintWindow } from './print-window.ts';
import type { SizeThreshold } from './size-threshold.ts';
import type { Mark, Study, StudyOutput, StudySession } from './study.ts';
import { TumblingWindows } from './tumbling-windows.ts';

const HOLDS_MIN = 64;

export interface AbsorptionRule {
  readonly windowMs: number;
  readonly holdMs: number;
  readonly slip: number;
  readonly threshold: SizeThreshold;
}

export class AbsorptionStudy implements Study {
  readonly #holdNs: number;
  /** The time of the current print, shared with the windows. */
  readonly #nowNs = new Float64Array(1);
  readonly #threshold: SizeThreshold;
  /** The source of the next session's threshold; null if it is a parameter. */
  readonly #tumbling: TumblingWindows | null;
  /** A price has a slot. A price and side have a cell: twice the slot, plus 1 for buyers. */
  readonly #slots = new PriceSlots();
  readonly #window: PrintWindow;
  readonly #sellers: HeldPrices;
  readonly #buyers: HeldPrices;
  #output: StudyOutput | null = null;
  #origin = 0 as UtcDay;
  /** The holds that have not ended, some of them broken, in a ring by their numbers, from 1. */
  #mask = HOLDS_MIN - 1;
  #holdCell = new Int32Array(HOLDS_MIN);
  #holdFromNs = new Float64Array(HOLDS_MIN);
  #holdFirstNs = new Float64Array(HOLDS_MIN);
  #holdFirstRank = new Float64Array(HOLDS_MIN);
  #holdVolume = new Float64Array(HOLDS_MIN);
  #holdTrades = new Float64Array(HOLDS_MIN);
  #oldest = 1;
  #next = 1;
  /** When the oldest hold ends; Infinity without one. */
  #overNs = Number.POSITIVE_INFINITY;

  constructor(rule: AbsorptionRule) {
    const windowNs = rule.windowMs * MS_NS;
    this.#holdNs = rule.holdMs * MS_NS;
    this.#threshold = rule.threshold;
    this.#tumbling = rule.threshold.isAutomatic
      ? new TumblingWindows(windowNs, this.#nowNs, rule.threshold)
      : null;
    this.#window = new PrintWindow(windowNs, this.#nowNs);
    this.#sellers = new HeldPrices(-1, rule.slip);
    this.#buyers = new HeldPrices(1, rule.slip);
  }

  get dueNs(): number {
    return this.#overNs;
  }

  get warm(): boolean {
    return this.#threshold.warm;
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#output = output;
    this.#origin = session.origin;
    const slotCount = this.#slots.count;
    this.#window.clear(2 * slotCount);
    this.#sellers.clear(slotCount);
    this.#buyers.clear(slotCount);
    this.#slots.clear();
    this.#oldest = 1;
    this.#next = 1;
    this.#overNs = Number.POSITIVE_INFINITY;
  }

  /** A run of prints at one time, price and side is one step: if the first starts a hold, the others belong to it. */
  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    const { ts, price, size, side } = batch;
    let k = 0;
    let row = from;
    while (row < to) {
      const start = row;
      const rowNs = ts[row]!;
      const ticks = price[row]!;
      const sign = side[row]!;
      let lots = 0;
      do {
        lots += size[row]!;
        row += 1;
      } while (row < to && ts[row] === rowNs && price[row] === ticks && side[row] === sign);
      const ns = rowNs + offsetNs;
      this.#nowNs[0] = ns;
      if (ns >= this.#overNs) this.#endHolds(ns, (batch.firstRank + start - 1) as Rank, k);
      k = 0;
      this.#sellers.pass(ticks);
      this.#buyers.pass(ticks);
      if (sign !== 0) this.#add(ticks, sign, batch.firstRank + start, lots, row - start);
    }
    this.#dropBroken();
    return k;
  }

  fire(entry: Readonly<Mark>): number {
    return this.#endHolds(this.#overNs, entry.rank, entry.k);
  }

  /** A hold that has not ended at the close is dropped. */
  closeSession(entry: Readonly<Mark>, isComplete: boolean): number {
    this.#tumbling?.endAll(2 * this.#slots.count);
    this.#threshold.closeSession(isComplete);
    return entry.k;
  }

  /** Objects are final when they appear. */
  forming(): void {}

  #add(ticks: number, sign: number, rank: number, lots: number, prints: number): void {
    const slot = this.#slots.slotOf(ticks);
    const isBuyer = sign > 0;
    const cell = 2 * slot + (isBuyer ? 1 : 0);
    this.#tumbling?.add(cell, lots);
    if (!this.#threshold.warm) return;
    const held = isBuyer ? this.#buyers : this.#sellers;
    const hold = held.holdAt(slot);
    if (hold !== 0) {
      this.#holdVolume[hold & this.#mask]! += lots;
      this.#holdTrades[hold & this.#mask]! += prints;
      return;
    }
    const window = this.#window;
    window.add(cell, rank, lots, prints);
    if (!window.reaches(cell, this.#threshold.lots)) return;
    if (this.#next - this.#oldest > this.#mask) this.#grow();
    const at = this.#next & this.#mask;
    this.#holdCell[at] = cell;
    this.#holdFromNs[at] = this.#nowNs[0]!;
    this.#holdVolume[at] = window.volume(cell);
    this.#holdTrades[at] = window.trades(cell);
    const first = window.use(cell);
    this.#holdFirstNs[at] = window.nsAt(first);
    this.#holdFirstRank[at] = window.rankAt(first);
    held.start(slot, ticks, this.#next);
    if (this.#next === this.#oldest) this.#overNs = this.#nowNs[0]! + this.#holdNs;
    this.#next += 1;
  }

  /** Ends the holds that are due at `ns`, each unbroken one with the next update of `rank`. */
  #endHolds(ns: number, rank: Rank, kBefore: number): number {
    let k = kBefore;
    while (this.#overNs <= ns) {
      const cell = this.#holdCell[this.#oldest & this.#mask]!;
      const held = this.#heldOf(cell);
      if (held.holdAt(cell >> 1) === this.#oldest) {
        k += 1;
        this.#output!.upsert(this.#version(cell, held), rank, k, this.#overNs);
        held.end(cell >> 1);
      }
      this.#dropOldest();
    }
    return k;
  }

  #dropBroken(): void {
    while (this.#oldest < this.#next) {
      const cell = this.#holdCell[this.#oldest & this.#mask]!;
      if (this.#heldOf(cell).holdAt(cell >> 1) === this.#oldest) return;
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    this.#oldest += 1;
    this.#overNs =
      this.#oldest === this.#next
        ? Number.POSITIVE_INFINITY
        : this.#holdFromNs[this.#oldest & this.#mask]! + this.#holdNs;
  }

  #heldOf(cell: number): HeldPrices {
    return (cell & 1) === 1 ? this.#buyers : this.#sellers;
  }

  /** The object of the oldest hold, which has ended. */
  #version(cell: number, held: HeldPrices) {
    const at = this.#oldest & this.#mask;
    const firstNs = this.#holdFirstNs[at]!;
    const day = addDays(this.#origin, Math.floor(firstNs / DAY_NS));
    return {
      id: `${day}.${this.#holdFirstRank[at]!}`,
      final: true,
      ts: epochNsText(this.#origin, firstNs),
      data: {
        side: (cell & 1) === 1 ? 1 : -1,
        price: this.#slots.priceOf(cell >> 1),
        volume: this.#holdVolume[at]!,
        trades: this.#holdTrades[at]!,
        maxSlip: held.slippedAt(cell >> 1),
        threshold: this.#threshold.lots,
        end: epochNsText(this.#origin, this.#overNs),
      },
    };
  }

  #grow(): void {
    const length = (this.#mask + 1) * 2;
    const moved = (column: Float64Array<ArrayBuffer>) =>
      unrolled(column, new Float64Array(length), this.#oldest, this.#next);
    this.#holdCell = unrolled(this.#holdCell, new Int32Array(length), this.#oldest, this.#next);
    this.#holdFromNs = moved(this.#holdFromNs);
    this.#holdFirstNs = moved(this.#holdFirstNs);
    this.#holdFirstRank = moved(this.#holdFirstRank);
    this.#holdVolume = moved(this.#holdVolume);
    this.#holdTrades = moved(this.#holdTrades);
    this.#mask = length - 1;
  }
}
