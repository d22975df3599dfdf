/** An imported dataset on any disk, from trades in memory, as an import leaves it. */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import type { Disk } from '../src/platform/disk/disk.ts';
import {
  type ImportedDay,
  importedStem,
  readImported,
  writeImported,
} from '../src/tape/imported/imported-manifest.ts';
import type { DaySpan } from '../src/tape/tape.ts';
import { contractDirectory } from '../src/tape/tape-paths.ts';
import { sealDay } from '../src/tape/write/seal/seal.ts';

/** Nanoseconds of the day, ticks, lots, aggressor. */
export type TradeRow = readonly [ns: number, price: number, size: number, side: -1 | 0 | 1];

/** One day of a contract; without trades and gaps, a whole day without trading. */
export interface DayToImport {
  readonly symbol: string;
  readonly day: UtcDay;
  readonly rows: readonly TradeRow[] | TradeBatch;
  /** The missing hours among those in which the market was open; default: none. */
  readonly gaps?: readonly DaySpan[];
}

/** Seals these days and commits them in one step; existing days are replaced. */
export async function importDays(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  days: readonly DayToImport[],
): Promise<void> {
  const before = await readImported(disk, tapeRoot, dataset);
  const all = new Map([...(before?.days ?? [])].map(([symbol, of]) => [symbol, new Map(of)]));
  for (const one of days) {
    const of = all.getOrInsertComputed(one.symbol, () => new Map());
    of.set(one.day, await sealImported(disk, tapeRoot, dataset, one, of.get(one.day) ?? null));
  }
  await writeImported(disk, tapeRoot, {
    dataset,
    revision: (before?.revision ?? 0) + 1,
    days: all,
  });
}

export function batchOf(day: UtcDay, rows: readonly TradeRow[]): TradeBatch {
  const batch = allocateBatch(day, 1 as Rank, rows.length);
  for (const [row, [ns, price, size, side]] of rows.entries()) {
    batch.ts[row] = ns;
    batch.price[row] = price;
    batch.size[row] = size;
    batch.side[row] = side;
  }
  batch.count = rows.length;
  return batch;
}

async function sealImported(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  { symbol, day, rows, gaps = [] }: DayToImport,
  before: ImportedDay | null,
): Promise<ImportedDay> {
  const batch = 'ts' in rows ? rows : batchOf(day, rows);
  const digest = await sealDay(disk, tapeRoot, { dataset, symbol, batch });
  const directory = contractDirectory(tapeRoot, dataset, symbol);
  for (const kind of ['arrow', 'json']) {
    const stem = `${directory}/${importedStem(day, digest)}`;
    await disk.rename(`${directory}/${day}.${kind}`, `${stem}.${kind}`);
  }
  await disk.syncDirectory(directory);
  return {
    digest,
    trades: batch.count,
    volume: batch.size.subarray(0, batch.count).reduce((sum, size) => sum + size, 0),
    covered: coveredBeside(gaps),
    gaps,
    origin: before === null || before.digest === digest ? 'imported' : 'replaced',
    sources: ['test.csv'],
    at: '2026-11-01T00:00:00Z',
    sideRule: null,
  };
}

function coveredBeside(gaps: readonly DaySpan[]): readonly DaySpan[] {
  const covered: DaySpan[] = [];
  let from = 0;
  for (const [gapFrom, gapTo] of gaps) {
    if (gapFrom > from) covered.push([from, gapFrom]);
    from = gapTo;
  }
  if (from < DAY_NS) covered.push([from, DAY_NS]);
  return covered;
}
