/**
 * Removes days beyond the configured age, with their cached results. Age is counted from today on the live tape, and
 * from the newest day of an imported dataset: an archive does not vanish because it is old.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, earlier } from '@tapeloom/core/utc-day';
import { DirectoryLockedError, lockDirectory } from '../../platform/disk/directory-lock.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { clearResultsBefore } from '../../results/cache-entries.ts';
import { isImported, readImported } from '../../tape/imported/imported-manifest.ts';
import { isReadLive } from '../../tape/live-dataset.ts';
import {
  allDays,
  type ContractRemoval,
  planRemoval,
  sessionsByBooks,
} from '../../tape/remove/plan-removal.ts';
import { removeImported } from '../../tape/remove/remove-imported.ts';
import { removeLive } from '../../tape/remove/remove-live.ts';
import type { TapeManifest } from '../../tape/tape-manifest.ts';
import { isSafeName } from '../../tape/tape-paths.ts';
import { type OldDaysNews, oldDaysNews, removalDue } from './large-removals.ts';

export interface OldDaysPlace {
  readonly disk: Disk;
  readonly data: string;
  /** How many days before the newest one stay; on the live tape, before today. */
  readonly keepDays: number;
  readonly now: EpochNs;
  readonly tell: (news: OldDaysNews) => void;
}

/** For the dataset whose tape this process writes. Resolves to the removed days; none if the removal must wait. */
export async function removeOldLiveDays(
  place: OldDaysPlace,
  dataset: string,
  manifest: TapeManifest,
  today: UtcDay,
  calendarOf: (symbol: string) => string | null,
): Promise<readonly ContractRemoval[]> {
  const { disk, data, keepDays } = place;
  const tapeRoot = `${data}/tape`;
  const sessionsOf = await sessionsByBooks(disk, tapeRoot, dataset, calendarOf);
  const request = { before: addDays(today, -keepDays), symbol: null };
  // While an import runs, imported days stay until the next removal.
  using lock = await lockOfImports(disk, tapeRoot, dataset);
  const imported = lock === null ? null : await readImported(disk, tapeRoot, dataset);
  const days = allDays(manifest.days, imported?.days ?? new Map());
  const removals = planRemoval(days, request, sessionsOf);
  const isDone = await removeWhenDue(place, dataset, days, removals, async () => {
    // The live days first: without its import, such a day would be read as it was received.
    await removeLive(disk, tapeRoot, dataset, manifest, removals);
    if (imported !== null) await removeImported(disk, tapeRoot, imported, removals);
  });
  return isDone ? removals : [];
}

/** For a node that follows: its imported days go once the node that appends has removed the days around them. */
export async function removeRepairsOfGoneDays(
  { disk, data, keepDays, now }: OldDaysPlace,
  dataset: string,
  { keptFrom }: Pick<TapeManifest, 'keptFrom'>,
): Promise<void> {
  const tapeRoot = `${data}/tape`;
  using lock = await lockOfImports(disk, tapeRoot, dataset);
  const imported = lock === null ? null : await readImported(disk, tapeRoot, dataset);
  if (imported === null) return;
  const before = addDays(dayOf(now), -keepDays);
  const removals = [...keptFrom].flatMap(([symbol, first]) => {
    const days = [...(imported.days.get(symbol)?.keys() ?? [])];
    const cut = earlier(first, before);
    const gone = days.filter((day) => day < cut);
    return gone.length === 0 ? [] : [{ symbol, keptFrom: cut, days: gone }];
  });
  await removeImported(disk, tapeRoot, imported, removals);
  await clearResults(disk, data, dataset, removals);
}

/** For every dataset of imported days only that no import has locked. The service watches their manifests. */
export async function removeOldImportedDays(place: OldDaysPlace): Promise<void> {
  const { disk, data, keepDays } = place;
  const tapeRoot = `${data}/tape`;
  for (const dataset of (await disk.list(tapeRoot)).filter(isSafeName)) {
    if (await isReadLive(disk, tapeRoot, dataset)) continue;
    using lock = lockUnlessHeld(`${tapeRoot}/${dataset}`);
    const manifest = lock === null ? null : await readImported(disk, tapeRoot, dataset);
    const days = [...(manifest?.days.values() ?? [])].flatMap((of) => [...of.keys()]);
    if (manifest === null || days.length === 0) continue;
    const newest = days.reduce((a, b) => (a > b ? a : b));
    const sessionsOf = await sessionsByBooks(disk, tapeRoot, dataset, () => null);
    const request = { before: addDays(newest, -keepDays), symbol: null };
    const removals = planRemoval(manifest.days, request, sessionsOf);
    await removeWhenDue(place, dataset, manifest.days, removals, () =>
      removeImported(disk, tapeRoot, manifest, removals),
    );
  }
}

/** Resolves to whether the days are removed: a large removal waits a day after its warning. */
async function removeWhenDue(
  { disk, data, keepDays, now, tell }: OldDaysPlace,
  dataset: string,
  days: ReadonlyMap<string, ReadonlyMap<UtcDay, unknown>>,
  removals: readonly ContractRemoval[],
  remove: () => Promise<void>,
): Promise<boolean> {
  const daysKept = [...days.values()].reduce((sum, of) => sum + of.size, 0);
  const directory = `${data}/tape/${dataset}`;
  const dueAt = await removalDue({ disk, directory, keepDays, now }, removals, daysKept);
  if (removals.length === 0) return true;
  const news = oldDaysNews(dataset, removals, daysKept, dueAt);
  if (dueAt === null) {
    await remove();
    await clearResults(disk, data, dataset, removals);
  }
  tell(news);
  return dueAt === null;
}

/** Null without imports, or while one runs. */
async function lockOfImports(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<Disposable | null> {
  if (!(await isImported(disk, tapeRoot, dataset))) return null;
  return lockUnlessHeld(`${tapeRoot}/${dataset}`);
}

function lockUnlessHeld(directory: string): Disposable | null {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof DirectoryLockedError) return null;
    throw error;
  }
}

async function clearResults(
  disk: Disk,
  data: string,
  dataset: string,
  removals: readonly ContractRemoval[],
): Promise<void> {
  for (const { symbol, keptFrom } of removals) {
    await clearResultsBefore(disk, `${data}/cache`, { dataset, contract: symbol }, keptFrom);
  }
}
