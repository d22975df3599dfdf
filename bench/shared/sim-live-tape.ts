/** A simulated tape in memory, as the engine and replays read one; it never grows. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { LiveTape, TapeDay, TapePlace, Watermarks } from '@tapeloom/server/tape/tape';
import type { SimTape } from './sim-tape.ts';

const SIM_DATASET = 'SIM';

export class SimLiveTape implements LiveTape {
  /** The end of the last day. */
  readonly promise: EpochNs;
  readonly #batches: readonly TradeBatch[];
  readonly #days: readonly TapeDay[];

  constructor({ batches, firstDay }: SimTape) {
    this.#batches = batches;
    const last = batches.at(-1)!.day;
    this.promise = epochNs(addDays(last, 1), 0);
    const days: TapeDay[] = [];
    for (let day = firstDay; day <= last; day = addDays(day, 1)) {
      const trades = batches.reduce((sum, it) => sum + (it.day === day ? it.count : 0), 0);
      days.push({ day, trades, state: 'sealed' });
    }
    this.#days = days;
  }

  promiseOf(): EpochNs {
    return this.promise;
  }

  timeOf(): string {
    return SIM_DATASET;
  }

  get watermarks(): Watermarks {
    return new Map([[SIM_DATASET, this.promise]]);
  }

  async days(): Promise<readonly TapeDay[]> {
    return this.#days;
  }

  async *read(_symbol: string, from: TapePlace, to?: TapePlace): AsyncIterable<TradeBatch> {
    for (const batch of this.#batches) {
      const skip = batch.day > from.day ? 0 : rowsUpTo(batch, from);
      const end = to === undefined ? batch.count : rowsUpTo(batch, to);
      if (skip < end) yield sliceBatch(batch, skip, end);
    }
  }

  async rankBefore(_symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    let rank = 0;
    for (const batch of this.#batches) {
      if (batch.day === day) rank += firstRowAt(batch.ts, 0, batch.count, ns);
    }
    return rank as Rank;
  }

  follow(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }
}

/** How many rows of a batch lie at or before a position. */
function rowsUpTo(batch: TradeBatch, place: TapePlace): number {
  if (batch.day !== place.day) return batch.day < place.day ? batch.count : 0;
  return Math.min(Math.max(0, place.rank + 1 - batch.firstRank), batch.count);
}
