/** Lists the days of every contract of one dataset, without reading their trades. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import { type ImportedDay, importedStem, readImported } from '../imported/imported-manifest.ts';
import { readSidecar } from '../read/sealed-days.ts';
import type { DaySpan } from '../tape.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
  logPath,
} from '../tape-paths.ts';
import { readLog } from '../write/log/log-recovery.ts';
import { LogCheck } from './log-check.ts';

export interface DayListing {
  readonly day: UtcDay;
  readonly trades: number;
  /** Size of its files; 0 while it is in a log. */
  readonly bytes: number;
  readonly isSealed: boolean;
  /** `open`: still growing. `damaged`: one of its files is missing. */
  readonly quality: 'complete' | 'partial' | 'no trades' | 'open' | 'damaged';
  readonly origin: 'live' | 'imported' | 'replaced';
  /** The missing open hours of the market. */
  readonly gaps: readonly DaySpan[];
  /** The import's record; null for live trades. */
  readonly imported: Pick<ImportedDay, 'sources' | 'at' | 'sideRule' | 'outside'> | null;
}

export type FoundDays = ReadonlyMap<string, ReadonlyMap<UtcDay, DayListing>>;

/** Rejects with `TapeDamagedError` when an index is damaged. */
export async function listLiveDays(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<FoundDays> {
  const contracts = new Map<string, Map<UtcDay, DayListing>>();
  await findLogged(disk, tapeRoot, dataset, contracts);
  await findSealed(disk, tapeRoot, dataset, contracts);
  return contracts;
}

/** The days of a live tape with its imported ones, as readers get them: an open day is never an imported one. */
export async function listRepairedDays(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<FoundDays> {
  const contracts = new Map<string, Map<UtcDay, DayListing>>();
  for (const [symbol, days] of await listLiveDays(disk, tapeRoot, dataset)) {
    contracts.set(symbol, new Map(days));
  }
  for (const [symbol, days] of await listImportedDays(disk, tapeRoot, dataset)) {
    const all = daysOf(contracts, symbol);
    for (const [day, imported] of days) {
      if (all.get(day)?.quality !== 'open') all.set(day, imported);
    }
  }
  return contracts;
}

/** Rejects with `TapeDamagedError` when the manifest is damaged. */
export async function listImportedDays(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<FoundDays> {
  const manifest = await readImported(disk, tapeRoot, dataset);
  const contracts = new Map<string, Map<UtcDay, DayListing>>();
  for (const [symbol, days] of manifest?.days ?? []) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    const listed = new Map<UtcDay, DayListing>();
    for (const [day, imported] of days) {
      const stem = `${directory}/${importedStem(day, imported.digest)}`;
      listed.set(day, importedListing(day, imported, await bytesOf(disk, stem)));
    }
    contracts.set(symbol, listed);
  }
  return contracts;
}

function importedListing(day: UtcDay, imported: ImportedDay, bytes: number | null): DayListing {
  const { trades, gaps, origin, sources, at, sideRule, outside } = imported;
  const quality = bytes === null ? 'damaged' : qualityOf(trades, gaps);
  return {
    day,
    trades,
    bytes: bytes ?? 0,
    isSealed: true,
    quality,
    origin,
    gaps,
    imported: { sources, at, sideRule, ...(outside !== undefined && { outside }) },
  };
}

/** Null when either file is missing. */
async function bytesOf(disk: Disk, stem: string): Promise<number | null> {
  const [arrow, json] = [await disk.stat(`${stem}.arrow`), await disk.stat(`${stem}.json`)];
  return arrow === null || json === null ? null : arrow.size + json.size;
}

async function findLogged(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  contracts: Map<string, Map<UtcDay, DayListing>>,
): Promise<void> {
  for (const name of await disk.list(logDirectory(tapeRoot, dataset))) {
    const day = dayOfFile(name, 'log');
    const path = day === null ? null : logPath(tapeRoot, dataset, day);
    // A log removed by now was sealed: its day is found among the sealed days.
    if (day === null || path === null || (await disk.stat(path)) === null) continue;
    const check = new LogCheck();
    const { ended } = await readLog(disk, path, check);
    for (const { symbol, rank } of check.contracts) {
      const gaps = check.gapsOf(symbol, day);
      const quality = ended ? qualityOf(rank, gaps) : 'open';
      daysOf(contracts, symbol).set(day, liveListing(day, rank, { quality, gaps, bytes: null }));
    }
  }
}

async function findSealed(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  contracts: Map<string, Map<UtcDay, DayListing>>,
): Promise<void> {
  for (const symbol of (await disk.list(daysDirectory(tapeRoot, dataset))).filter(isSafeName)) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    for (const name of await disk.list(directory)) {
      const day = dayOfFile(name, 'json');
      const sidecar = day === null ? null : await readSidecar(disk, `${directory}/${name}`);
      if (day === null || sidecar === null) continue;
      const bytes = sidecar.bytes + ((await disk.stat(`${directory}/${name}`))?.size ?? 0);
      const { rows, gaps = [] } = sidecar;
      const quality = qualityOf(rows, gaps);
      daysOf(contracts, symbol).set(day, liveListing(day, rows, { quality, gaps, bytes }));
    }
  }
}

function qualityOf(trades: number, gaps: readonly DaySpan[]): DayListing['quality'] {
  if (gaps.length > 0) return 'partial';
  return trades === 0 ? 'no trades' : 'complete';
}

function daysOf(contracts: Map<string, Map<UtcDay, DayListing>>, symbol: string) {
  return contracts.getOrInsertComputed(symbol, () => new Map<UtcDay, DayListing>());
}

function liveListing(
  day: UtcDay,
  trades: number,
  {
    quality,
    gaps,
    bytes,
  }: Pick<DayListing, 'quality' | 'gaps'> & {
    /** Null while it is in a log. */
    readonly bytes: number | null;
  },
): DayListing {
  return {
    day,
    trades,
    bytes: bytes ?? 0,
    isSealed: bytes !== null,
    quality,
    origin: 'live',
    gaps,
    imported: null,
  };
}
