/**
 * What the tape has of a day before a file is added: an imported day, else a sealed live one. A day of which an earlier
 * file of a dry run exists is read from where the dry run stores it.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays } from '@tapeloom/core/utc-day';
import type { Disk } from '../platform/disk/disk.ts';
import { readImportedDay } from '../tape/imported/imported-files.ts';
import type { ImportedDay, ImportedManifest } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import type { SealedLiveDays } from './live-days.ts';
import { unionOf } from './spans.ts';

export interface DaysBeforeOptions {
  readonly disk: Disk;
  readonly dataset: string;
  readonly live: SealedLiveDays | null;
  readonly manifest: () => ImportedManifest;
  /** The directory that has the imported day with this digest. */
  readonly rootOf: (digest: string) => string;
}

export interface DayBefore {
  readonly day: ImportedDay;
  /** Whether no file has changed this day of the live tape yet. */
  readonly isLive: boolean;
  /** Rejects with `TapeDamagedError`. */
  read(): Promise<TradeBatch>;
}

export class DaysBefore {
  readonly #options: DaysBeforeOptions;

  constructor(options: DaysBeforeOptions) {
    this.#options = options;
  }

  async find(symbol: string, day: UtcDay): Promise<DayBefore | null> {
    const { disk, dataset, live, manifest, rootOf } = this.#options;
    const imported = manifest().days.get(symbol)?.get(day);
    if (imported !== undefined) {
      const { digest } = imported;
      const place = { dataset, symbol, day };
      const read = () => readImportedDay(disk, rootOf(digest), place, digest);
      return { day: imported, isLive: false, read };
    }
    const sealed = (await live?.find(symbol, day)) ?? null;
    return sealed && { day: sealed, isLive: true, read: () => live!.read(symbol, day) };
  }

  /** The tape's coverage of a day and its neighbours, on the clock of the day. */
  async coveredAround(symbol: string, day: UtcDay): Promise<readonly DaySpan[]> {
    const around = [addDays(day, -1), day, addDays(day, 1)];
    const found = await Promise.all(around.map((one) => this.find(symbol, one)));
    const covered = new Map(around.map((one, index) => [one, found[index]?.day.covered]));
    return spansAround((one) => covered.get(one), day);
  }
}

/** The spans of a day and its neighbours, on the clock of the day. */
export function spansAround(
  spansOn: (day: UtcDay) => readonly DaySpan[] | undefined,
  day: UtcDay,
): readonly DaySpan[] {
  const spans = [-1, 0, 1].flatMap((offset) =>
    (spansOn(addDays(day, offset)) ?? []).map(([from, to]): DaySpan => {
      return [from + offset * DAY_NS, to + offset * DAY_NS];
    }),
  );
  return unionOf(spans, []);
}
