/**
 * The trades of one file as a tape in memory. All days from the first to the last trade are on it, including those
 * without trades: a file does not show what it may have left out.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { Tape, TapeDay, TapePlace } from '../tape/tape.ts';

export class FileTape implements Tape {
  readonly #batches: readonly TradeBatch[];
  /** The first day whose trades are certainly complete, from a session's open on. */
  readonly #wholeFrom: UtcDay;

  /** Sessions that start before `wholeFrom` are not whole, though their trades are read. Needs a trade. */
  constructor(batches: readonly TradeBatch[], wholeFrom: UtcDay = batches[0]!.day) {
    this.#batches = batches;
    this.#wholeFrom = wholeFrom;
  }

  days(): Promise<readonly TapeDay[]> {
    const byDay = new Map(this.#batches.map((batch) => [batch.day, batch.count]));
    const days: TapeDay[] = [];
    const last = this.#batches.at(-1)!.day;
    for (let day = this.#wholeFrom; day <= last; day = addDays(day, 1)) {
      days.push({ day, trades: byDay.get(day) ?? 0, state: 'sealed' });
    }
    return Promise.resolve(days);
  }

  async *read(_symbol: string, from: TapePlace, to?: TapePlace): AsyncGenerator<TradeBatch> {
    for (const batch of this.#batches) {
      if (batch.day < from.day) continue;
      if (to !== undefined && batch.day > to.day) return;
      const first = batch.day === from.day ? from.rank : 0;
      const end = batch.day === to?.day ? Math.min(to.rank, batch.count) : batch.count;
      if (first < end) yield sliceBatch(batch, first, end);
    }
  }

  rankBefore(_symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    const batch = this.#batches.find((one) => one.day === day);
    const rank = batch === undefined ? 0 : firstRowAt(batch.ts, 0, batch.count, ns);
    return Promise.resolve(rank as Rank);
  }
}

export function tradedRange(batches: readonly TradeBatch[]): {
  readonly first: EpochNs;
  readonly last: EpochNs;
} {
  const [begin, end] = [batches[0]!, batches.at(-1)!];
  return {
    first: epochNs(begin.day, begin.ts[0]!),
    last: epochNs(end.day, end.ts[end.count - 1]!),
  };
}
