/**
 * The trades of one second of the session, of the window of seconds that ends with it, and since the open. A second
 * without a trade has no object but counts in both averages. Only exact counts are stored; averages are divided and
 * rounded when a version is built.
 */

import type { UtcDay } from '../numbers.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { DAY_NS, SECOND_NS } from '../units.ts';
import { daysBetween } from '../utc-day.ts';
import type { BarContent } from './current-bar.ts';
import { perSecond } from './per-second.ts';
import type { StudySession } from './study.ts';

/** `pace` is a multiple of 1/100, so it is exact as a number of these. */
const PACE_PARTS = 100;

export interface SecondRule {
  readonly windowSeconds: number;
  readonly pace: number;
}

export class SecondCounts implements BarContent {
  readonly #paceParts: number;
  /** Trades of the window's seconds; a second's index is its number modulo the length. */
  readonly #window: Float64Array;
  #windowTrades = 0;
  #sessionTrades = 0;
  #session: StudySession | null = null;
  /** Added to a time of `#day` it gives nanoseconds since the open. */
  #day = 0 as UtcDay;
  #dayNs = 0;
  /** The second's number since the open, from 0. */
  #second = -1;
  #isFirst = true;
  #trades = 0;
  #volume = 0;

  constructor(rule: SecondRule) {
    this.#paceParts = Math.round(rule.pace * PACE_PARTS);
    this.#window = new Float64Array(rule.windowSeconds);
  }

  openSession(session: StudySession): void {
    this.#session = session;
    this.#day = 0 as UtcDay;
    this.#window.fill(0);
    this.#windowTrades = 0;
    this.#sessionTrades = 0;
    this.#second = -1;
  }

  clear(): void {
    this.#isFirst = true;
    this.#trades = 0;
    this.#volume = 0;
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    if (this.#isFirst) this.#moveTo(batch, from);
    const count = to - from;
    this.#trades += count;
    this.#windowTrades += count;
    this.#sessionTrades += count;
    this.#window[this.#second % this.#window.length]! += count;
    const { size } = batch;
    let volume = this.#volume;
    for (let row = from; row < to; row += 1) volume += size[row]!;
    this.#volume = volume;
  }

  addPart(): void {
    throw new Error('a second of tape holds whole trades only');
  }

  data() {
    const seconds = this.#second + 1;
    const windowSeconds = Math.min(seconds, this.#window.length);
    return {
      trades: this.#trades,
      volume: this.#volume,
      rate: perSecond(this.#windowTrades, windowSeconds),
      average: perSecond(this.#sessionTrades, seconds),
      burst: this.#isBurst(seconds, windowSeconds),
    };
  }

  /** rate > pace × average, multiplied out; in bigints if the products are no exact doubles. */
  #isBurst(seconds: number, windowSeconds: number): boolean {
    const left = this.#windowTrades * seconds * PACE_PARTS;
    const right = this.#sessionTrades * windowSeconds * this.#paceParts;
    if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) return left > right;
    return (
      BigInt(this.#windowTrades) * BigInt(seconds) * BigInt(PACE_PARTS) >
      BigInt(this.#sessionTrades) * BigInt(windowSeconds) * BigInt(this.#paceParts)
    );
  }

  /** Moves the window so that it ends with the second of this trade. */
  #moveTo(batch: TradeBatch, row: number): void {
    if (batch.day !== this.#day) {
      const { origin, openNs } = this.#session!;
      this.#day = batch.day;
      this.#dayNs = daysBetween(origin, batch.day) * DAY_NS - openNs;
    }
    const second = Math.floor((batch.ts[row]! + this.#dayNs) / SECOND_NS);
    const length = this.#window.length;
    const stepCount = Math.min(second - this.#second, length);
    for (let step = 1; step <= stepCount; step += 1) {
      const at = (this.#second + step) % length;
      this.#windowTrades -= this.#window[at]!;
      this.#window[at] = 0;
    }
    this.#second = second;
    this.#isFirst = false;
  }
}
