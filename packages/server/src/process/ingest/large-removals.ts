/**
 * A large removal waits a day after a warning: otherwise a mistyped TAPELOOM_KEEP_DAYS would empty an archive at the
 * next start. The warning is stored beside the dataset, so a restart does not begin the day again.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import type { ContractRemoval } from '../../tape/remove/plan-removal.ts';

/** The share of the stored days above which a removal is large. */
const SHARE_MAX = 0.1;
/** The number of days above which a removal is large; sessions that span midnights are removed by weeks. */
const DAYS_MAX = 7;
const WARNED_FOR_NS = DAY_NS_BIG;
/** A warning older than this has expired. */
const WARNING_GOOD_NS = 3n * DAY_NS_BIG;

/** Days of a dataset that are removed, or will be. */
export interface OldDaysNews {
  readonly dataset: string;
  readonly days: number;
  readonly first: UtcDay;
  readonly last: UtcDay;
  /** The number stored, including those days. */
  readonly daysKept: number;
  /** When they are removed; null: they are already. */
  readonly dueAt: EpochNs | null;
}

interface Warning {
  readonly keepDays: number;
  readonly at: string;
}

export interface RemovalPlace {
  readonly disk: Disk;
  /** `<data>/tape/<dataset>`, which exists. */
  readonly directory: string;
  readonly keepDays: number;
  readonly now: EpochNs;
}

/** When these days may go; null: now. */
export async function removalDue(
  { disk, directory, keepDays, now }: RemovalPlace,
  removals: readonly ContractRemoval[],
  daysKept: number,
): Promise<EpochNs | null> {
  const path = `${directory}/removal.json`;
  const warnedAt = await readWarning(disk, path, keepDays);
  const count = removals.reduce((sum, { days }) => sum + days.length, 0);
  const distinct = new Set(removals.flatMap(({ days }) => days)).size;
  const isLarge = count > daysKept * SHARE_MAX && distinct > DAYS_MAX;
  const isWarned = warnedAt !== null && warnedAt <= now && now - warnedAt < WARNING_GOOD_NS;
  if (isLarge && !isWarned) {
    const warning: Warning = { keepDays, at: String(now) };
    await replaceFile(disk, path, new TextEncoder().encode(`${JSON.stringify(warning)}\n`));
    return (now + WARNED_FOR_NS) as EpochNs;
  }
  if (isLarge && now - warnedAt! < WARNED_FOR_NS) return (warnedAt! + WARNED_FOR_NS) as EpochNs;
  if (warnedAt !== null) await disk.remove(path);
  return null;
}

export function oldDaysNews(
  dataset: string,
  removals: readonly ContractRemoval[],
  daysKept: number,
  dueAt: EpochNs | null,
): OldDaysNews {
  const days = removals.flatMap((removal) => removal.days).sort((a, b) => a - b);
  const range = { first: days[0]!, last: days.at(-1)! };
  return { dataset, days: days.length, ...range, daysKept, dueAt };
}

/** Null without a warning for the same number of days to keep. */
async function readWarning(disk: Disk, path: string, keepDays: number): Promise<bigint | null> {
  const bytes = await readFileWhole(disk, path);
  if (bytes === null) return null;
  try {
    const warning = JSON.parse(new TextDecoder().decode(bytes)) as Warning;
    return warning.keepDays === keepDays ? BigInt(warning.at) : null;
  } catch {
    return null;
  }
}
