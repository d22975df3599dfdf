/**
 * Points of control and value area edges of past sessions that price has not returned to. Levels are born, final, at
 * the close of their session. They end by the trade that brings a later session's range to them, or at the close of the
 * last session of the look-back. An incomplete session creates no levels, and its close ends all: missing trades may
 * have reached them. A trade is compared with the nearest level above and below only.
 */

import type { Rank } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { epochNsText } from '../utc-day.ts';
import { PriceHistogram } from './price-histogram.ts';
import { keyPrices, type ProfileRule } from './profile.ts';
import type { Mark, Study, StudyOutput, StudySession } from './study.ts';

/** In the order of their numbers 1, 2, 3. */
export const NAKED_LEVEL_KINDS = ['poc', 'vah', 'val'] as const;

export interface NakedLevelsRule extends ProfileRule {
  readonly group: number;
  readonly lookBackSessions: number;
}

interface Level {
  readonly id: string;
  /** Lowest price of its row. */
  readonly price: number;
  /** How many sessions had opened at its birth. */
  readonly session: number;
}

export class NakedLevelsStudy implements Study {
  readonly warm = true;
  readonly dueNs = Number.POSITIVE_INFINITY;
  readonly #rule: NakedLevelsRule;
  readonly #histogram: PriceHistogram;
  /** In the order of birth; at most three per session of the look-back. */
  #levels: Level[] = [];
  #output: StudyOutput | null = null;
  #session: StudySession | null = null;
  #sessionCount = 0;
  /** The session's first trade; null before it. */
  #first: { readonly id: string; readonly ts: string; readonly price: number } | null = null;
  /** A trade at or above the first price, or at or below the second, reaches a level. */
  #aboveFrom = 0;
  #belowFrom = 0;

  constructor(rule: NakedLevelsRule) {
    this.#rule = rule;
    this.#histogram = new PriceHistogram(rule.group);
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#session = session;
    this.#output = output;
    this.#sessionCount += 1;
    this.#first = null;
    this.#histogram.clear();
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    this.#histogram.addRows(batch, from, to);
    const { price } = batch;
    const isFirst = this.#first === null;
    let k = isFirst ? this.#begin(batch, from, offsetNs) : 0;
    for (let row = isFirst ? from + 1 : from; row < to; row += 1) {
      const ticks = price[row]!;
      k = 0;
      if (ticks >= this.#aboveFrom || ticks <= this.#belowFrom) {
        k = this.#trade(batch, row, offsetNs);
      }
    }
    return k;
  }

  fire(): number {
    throw new Error('naked levels have nothing due');
  }

  closeSession(entry: Readonly<Mark>, isComplete: boolean): number {
    const { origin, closeNs } = this.#session!;
    const isBearing = this.#first !== null && isComplete;
    const k = isBearing ? this.#bear(entry.rank, entry.k) : entry.k;
    const lastGone = this.#sessionCount - (isComplete ? this.#rule.lookBackSessions : 0);
    const ts = epochNsText(origin, closeNs);
    return this.#remove((level) => level.session <= lastGone, ts, entry.rank, k);
  }

  forming(): void {
    // Levels are final at birth: nothing ever forms.
  }

  #begin(batch: TradeBatch, row: number, offsetNs: number): number {
    const ts = epochNsText(this.#session!.origin, batch.ts[row]! + offsetNs);
    this.#first = { id: `${batch.day}.${batch.firstRank + row}`, ts, price: batch.price[row]! };
    return this.#trade(batch, row, offsetNs);
  }

  /** Removes levels between the session's first price and this one; nearer ones were removed before. */
  #trade(batch: TradeBatch, row: number, offsetNs: number): number {
    const first = this.#first!.price;
    const low = Math.min(first, batch.price[row]!);
    const high = Math.max(first, batch.price[row]!);
    const top = this.#rule.group - 1;
    const ts = epochNsText(this.#session!.origin, batch.ts[row]! + offsetNs);
    const rank = (batch.firstRank + row) as Rank;
    const k = this.#remove(({ price }) => price <= high && price + top >= low, ts, rank, 0);
    const above = this.#levels.filter(({ price }) => price > high);
    const below = this.#levels.filter(({ price }) => price + top < low);
    this.#aboveFrom = Math.min(...above.map(({ price }) => price));
    this.#belowFrom = Math.max(...below.map(({ price }) => price + top));
    return k;
  }

  #remove(isGone: (level: Level) => boolean, ts: string, rank: Rank, kBefore: number): number {
    let k = kBefore;
    this.#levels = this.#levels.filter((level) => {
      if (!isGone(level)) return true;
      k += 1;
      this.#output!.remove(level.id, true, ts, rank, k);
      return false;
    });
    return k;
  }

  #bear(rank: Rank, kBefore: number): number {
    const prices = keyPrices(this.#histogram.rows(), this.#rule);
    const { id: tradeId, ts } = this.#first!;
    const sessionDate = this.#session!.date;
    let k = kBefore;
    for (const [index, kind] of NAKED_LEVEL_KINDS.entries()) {
      const id = `${tradeId}.${index + 1}`;
      const price = prices[kind]!;
      k += 1;
      this.#levels.push({ id, price, session: this.#sessionCount });
      this.#output!.upsert({ id, final: true, ts, data: { kind, price, sessionDate } }, rank, k);
    }
    return k;
  }
}
