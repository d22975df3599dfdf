/** The trades of one contract from its sealed days, one day in memory at a time. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { dayNumber } from '@tapeloom/core/utc-day';
import type { Tape } from '../../tape/tape.ts';
import type { Intake, IntakeBatch } from '../../tape/write/intake.ts';
import type { KnownTrades } from '../clocked-source.ts';
import { readDay } from './read-day.ts';

/** Distance of the feed numbers of consecutive days: more than the trades of a day. */
const DAY_IDS = 2 ** 31;

export class ReplayTrades implements KnownTrades {
  readonly #tape: Tape;
  readonly #symbol: string;
  readonly #intake: Pick<Intake, 'lastId'>;
  #batch: TradeBatch | null = null;
  /** The next row to return. */
  #row = 0;

  constructor(tape: Tape, symbol: string, intake: Pick<Intake, 'lastId'>) {
    this.#tape = tape;
    this.#symbol = symbol;
    this.#intake = intake;
  }

  enter(day: UtcDay, fromNs: number): number | Promise<number> {
    return this.#batch?.day === day ? DAY_NS : this.#load(day, fromNs);
  }

  pending(untilNs: number): number {
    return this.#endRow(untilNs) - this.#row;
  }

  take(untilNs: number): IntakeBatch[] {
    const { day, ts, price, size, side } = this.#batch!;
    const from = this.#row;
    const to = this.#endRow(untilNs);
    if (to <= from) return [];
    this.#row = to;
    const firstId = dayNumber(day) * DAY_IDS + from;
    return [
      {
        symbol: this.#symbol,
        day,
        count: to - from,
        id: Float64Array.from({ length: to - from }, (_, row) => firstId + row),
        ts: ts.slice(from, to),
        price: Float64Array.from(price.subarray(from, to)),
        size: Float64Array.from(size.subarray(from, to)),
        side: side.slice(from, to),
      },
    ];
  }

  async #load(day: UtcDay, fromNs: number): Promise<number> {
    const batch = await readDay(this.#tape, this.#symbol, day);
    const seen = this.#intake.lastId(this.#symbol) - dayNumber(day) * DAY_IDS + 1;
    this.#batch = batch;
    this.#row = Math.max(seen, firstRowAt(batch.ts, 0, batch.count, fromNs));
    return DAY_NS;
  }

  #endRow(untilNs: number): number {
    const { ts, count } = this.#batch!;
    return firstRowAt(ts, this.#row, count, untilNs);
  }
}
