/**
 * The finished days of a live tape, as an import meets them. A day is finished when nothing more can reach it: it is
 * sealed, or it lies before every log. Only such a day may come from a file. The live tape covers all of a day but its
 * gaps, by the time at which its trades were stamped.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays } from '@tapeloom/core/utc-day';
import type { Disk } from '../platform/disk/disk.ts';
import type { ImportedDay } from '../tape/imported/imported-manifest.ts';
import { NO_LIVE_DAYS, TapeReader } from '../tape/read/tape-reader.ts';
import type { Tape, TapeDay } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { type ManifestContent, readManifest } from '../tape/tape-manifest.ts';
import { sealedPath } from '../tape/tape-paths.ts';
import { differenceOf } from './spans.ts';

export interface LiveDaysPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  /** The current day: without a live day, all days before it are finished. */
  readonly today: UtcDay;
  /** The sealed days; by default those on disk. */
  readonly tape?: Tape;
}

export class SealedLiveDays {
  readonly #place: LiveDaysPlace;
  readonly #tape: Tape;
  readonly #manifest: ManifestContent | null;
  /** All days before it are finished. */
  readonly #openFrom: UtcDay;
  readonly #days = new Map<string, Promise<ReadonlyMap<UtcDay, TapeDay>>>();

  private constructor(place: LiveDaysPlace, manifest: ManifestContent | null) {
    const { disk, tapeRoot, dataset, today, tape } = place;
    this.#place = place;
    this.#tape = tape ?? new TapeReader(disk, tapeRoot, dataset, NO_LIVE_DAYS);
    this.#manifest = manifest;
    this.#openFrom = firstOpenDay(manifest, today);
  }

  /** Rejects with `TapeDamagedError`. */
  static async open(place: LiveDaysPlace): Promise<SealedLiveDays> {
    const { disk, tapeRoot, dataset } = place;
    return new SealedLiveDays(place, await readManifest(disk, tapeRoot, dataset));
  }

  isFinished(symbol: string, day: UtcDay): boolean {
    return day < this.#openFrom || this.#isSealed(symbol, day);
  }

  /** A sealed day in the form of an imported one, which is never written: only days that a file changes are. */
  async find(symbol: string, day: UtcDay): Promise<ImportedDay | null> {
    if (!this.#isSealed(symbol, day)) return null;
    const found = (await this.#daysOf(symbol)).get(day);
    const gaps = found?.gaps ?? [];
    const covered = differenceOf([[0, DAY_NS]], gaps);
    return {
      // Of a damaged day the trades are unknown: no file equals it.
      digest: found?.digest ?? '',
      trades: found?.trades ?? 0,
      volume: 0,
      covered,
      gaps,
      live: covered,
      origin: 'imported',
      sources: [],
      at: '',
      sideRule: null,
    };
  }

  /** Rejects with `TapeDamagedError`. */
  async read(symbol: string, day: UtcDay): Promise<TradeBatch> {
    const found = (await this.#daysOf(symbol)).get(day);
    if (found === undefined || found.state === 'damaged') {
      const { tapeRoot, dataset } = this.#place;
      const file = sealedPath(tapeRoot, dataset, symbol, day);
      throw found?.damage ?? new TapeDamagedError('the day is not there', { file, offset: 0 });
    }
    const whole = allocateBatch(day, 1 as Rank, found.trades);
    const [from, to] = [day, addDays(day, 1)].map((one) => ({ day: one, rank: 0 as Rank }));
    for await (const { count, ts, price, size, side } of this.#tape.read(symbol, from!, to)) {
      whole.ts.set(ts.subarray(0, count), whole.count);
      whole.price.set(price.subarray(0, count), whole.count);
      whole.size.set(size.subarray(0, count), whole.count);
      whole.side.set(side.subarray(0, count), whole.count);
      whole.count += count;
    }
    return whole;
  }

  #isSealed(symbol: string, day: UtcDay): boolean {
    return this.#manifest?.days.get(symbol)?.has(day) ?? false;
  }

  #daysOf(symbol: string): Promise<ReadonlyMap<UtcDay, TapeDay>> {
    return this.#days.getOrInsertComputed(symbol, async () => {
      return new Map((await this.#tape.days(symbol)).map((one) => [one.day, one]));
    });
  }
}

/** A log that was begun may still grow, and so may all later days. */
function firstOpenDay(manifest: ManifestContent | null, today: UtcDay): UtcDay {
  const logs = [...(manifest?.logs ?? [])];
  if (logs.length > 0) return logs.reduce((a, b) => (a < b ? a : b));
  const sealed = [...(manifest?.days.values() ?? [])].flatMap((days) => [...days.keys()]);
  return sealed.length === 0
    ? today
    : addDays(
        sealed.reduce((a, b) => (a > b ? a : b)),
        1,
      );
}
