/**
 * Reads each day from memory while it is there, otherwise from its files. A day leaves memory only after its files are
 * on disk, so it can always be read. A reader that holds a day's memory keeps it, even if the day is sealed.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { type ColumnsSnapshot, liveBatches, liveRankBefore } from '../live-columns.ts';
import type { DaySpan, Tape, TapeDay, TapePlace } from '../tape.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { SealedDays } from './sealed-days.ts';

/** The days of a contract that are in memory. */
export interface LiveDays {
  liveColumns(symbol: string): readonly ColumnsSnapshot[];
  /** What such a day lacks, as of now; ascending and disjoint. */
  liveGaps(symbol: string, day: UtcDay): readonly DaySpan[];
}

export const NO_LIVE_DAYS: LiveDays = { liveColumns: () => [], liveGaps: () => [] };

export class TapeReader implements Tape {
  readonly #sealed: SealedDays;
  readonly #live: LiveDays;

  constructor(
    disk: Disk,
    tapeRoot: string,
    dataset: string,
    live: LiveDays,
    sealed = new SealedDays(disk, tapeRoot, dataset),
  ) {
    this.#sealed = sealed;
    this.#live = live;
  }

  async days(symbol: string): Promise<readonly TapeDay[]> {
    const live = this.#live.liveColumns(symbol);
    const days = live.map(({ day, count }) => this.#openDay(symbol, day, count));
    const { here, cut, gone } = await this.#sealed.find(symbol);
    const isLive = (day: UtcDay) => live.some((one) => one.day === day);
    const damaged = { trades: 0, state: 'damaged' } as const;
    for (const day of here) if (!isLive(day)) days.push(await this.#sealedDay(symbol, day));
    for (const day of cut) if (!isLive(day)) days.push({ day, ...damaged });
    for (const day of gone) if (!isLive(day)) days.push({ day, ...damaged, isGone: true });
    return days.sort((a, b) => a.day - b.day);
  }

  async *read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent = false,
  ): AsyncGenerator<TradeBatch> {
    // Memory first: a day that is sealed between the two look-ups is then found twice, never missed.
    const live = new Map(this.#live.liveColumns(symbol).map((one) => [one.day, one]));
    // Days after one in memory are in memory too, so a follower at the tape's end needs no disk access.
    const sealed = live.has(from.day) ? [] : await this.#sealedDays(symbol, from, to);
    const days = [...new Set([...sealed, ...live.keys()])].sort((a, b) => a - b);
    for (const day of days) {
      if (day < from.day || (to !== undefined && day > to.day)) continue;
      const after = day === from.day ? from.rank : 0;
      const last = day === to?.day ? to.rank : Number.POSITIVE_INFINITY;
      const columns = live.get(day);
      if (columns !== undefined) yield* liveBatches(columns, after, last);
      else yield* this.#sealed.read(symbol, day, after, last, isLent);
    }
  }

  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    const columns = this.#live.liveColumns(symbol).find((one) => one.day === day);
    if (columns !== undefined) return liveRankBefore(columns, ns) as Rank;
    const sealed = this.#sealed;
    const isOnTape = sealed.knows(symbol, day) || (await sealed.days(symbol)).includes(day);
    return (isOnTape ? await sealed.rankBefore(symbol, day, ns) : 0) as Rank;
  }

  filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return this.#sealed.filesVersion(symbol, day);
  }

  async daysVersion(symbol: string): Promise<string> {
    const live = this.#live.liveColumns(symbol).map(({ day }) => {
      const gaps = this.#live.liveGaps(symbol, day);
      return gaps.length === 0 ? day : `${day} without ${gaps.join(' ')}`;
    });
    return `${await this.#sealed.daysVersion(symbol)} ${live.join()}`;
  }

  /** The sealed days that a read between two positions needs. */
  async #sealedDays(symbol: string, from: TapePlace, to?: TapePlace): Promise<readonly UtcDay[]> {
    const isOneDay = to?.day === from.day || (to?.rank === 0 && to.day === addDays(from.day, 1));
    if (isOneDay && this.#sealed.knows(symbol, from.day)) return [from.day];
    return await this.#sealed.days(symbol);
  }

  #openDay(symbol: string, day: UtcDay, trades: number): TapeDay {
    const gaps = this.#live.liveGaps(symbol, day);
    if (gaps.length === 0) return { day, trades, state: 'open' };
    return { day, trades, state: 'open', gaps };
  }

  /** One damaged day does not affect the others. */
  async #sealedDay(symbol: string, day: UtcDay): Promise<TapeDay> {
    try {
      const { rows, digest, gaps } = await this.#sealed.sidecar(symbol, day);
      if (gaps === undefined) return { day, trades: rows, state: 'sealed', digest };
      const version = `${digest} without ${gaps.join(' ')}`;
      return { day, trades: rows, state: 'partial', digest, gaps, version };
    } catch (error) {
      if (!(error instanceof TapeDamagedError)) throw error;
      return { day, trades: 0, state: 'damaged', damage: error };
    }
  }
}
