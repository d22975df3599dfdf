/** The sealed days of a dataset for a comparison with a file: imported days by manifest, live days by their files. */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import type { Disk } from '../platform/disk/disk.ts';
import { readImportedDay } from '../tape/imported/imported-files.ts';
import type { ImportedManifest } from '../tape/imported/imported-manifest.ts';
import { SealedDays } from '../tape/read/sealed-days.ts';
import type { ComparedTape } from './compare-file.ts';
import { differenceOf } from './spans.ts';

export function importedTape(
  disk: Disk,
  tapeRoot: string,
  { dataset, days }: ImportedManifest,
): ComparedTape {
  return {
    tradesByDay: async (symbol) =>
      new Map([...(days.get(symbol) ?? [])].map(([day, { trades }]) => [day, trades])),
    read: async (symbol, day) => {
      const { digest, covered, strays = [] } = days.get(symbol)!.get(day)!;
      const place = { dataset, symbol, day };
      return { trades: await readImportedDay(disk, tapeRoot, place, digest), covered, strays };
    },
  };
}

export function liveTape(disk: Disk, tapeRoot: string, dataset: string): ComparedTape {
  const sealed = new SealedDays(disk, tapeRoot, dataset);
  return {
    tradesByDay: async (symbol) => {
      const counts = new Map<UtcDay, number>();
      for (const day of await sealed.days(symbol)) {
        counts.set(day, (await sealed.sidecar(symbol, day)).rows);
      }
      return counts;
    },
    read: async (symbol, day) => {
      const { rows, gaps = [] } = await sealed.sidecar(symbol, day);
      const whole = allocateBatch(day, 1 as Rank, rows);
      for await (const batch of sealed.read(symbol, day, 0, rows)) append(whole, batch);
      return { trades: whole, covered: differenceOf([[0, DAY_NS]], gaps), strays: null };
    },
  };
}

/** A live tape that reads its imported days instead of the sealed ones. */
export function repairedTape(
  disk: Disk,
  tapeRoot: string,
  manifest: ImportedManifest,
): ComparedTape {
  const live = liveTape(disk, tapeRoot, manifest.dataset);
  const imported = importedTape(disk, tapeRoot, manifest);
  return {
    tradesByDay: async (symbol) =>
      new Map([...(await live.tradesByDay(symbol)), ...(await imported.tradesByDay(symbol))]),
    read: async (symbol, day) => {
      const isImported = manifest.days.get(symbol)?.has(day) === true;
      return await (isImported ? imported : live).read(symbol, day);
    },
  };
}

function append(to: ReturnType<typeof allocateBatch>, from: TradeBatch): void {
  to.ts.set(from.ts.subarray(0, from.count), to.count);
  to.price.set(from.price.subarray(0, from.count), to.count);
  to.size.set(from.size.subarray(0, from.count), to.count);
  to.side.set(from.side.subarray(0, from.count), to.count);
  to.count += from.count;
}
