/**
 * Which trading dates the session books of a tape must have: those of every day on it or about to come to it,
 * however old, with what a look-back reaches before them, and those around today. A day without sessions has
 * no results, so books are made first.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { contractDirectory, dayOfFile, daysDirectory, isSafeName } from '../tape-paths.ts';

/** A look-back reaches less far, a planned roll too. */
const BACK_DAYS = 60;
const AHEAD_DAYS = 60;

export interface SessionDates {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

export async function sessionDates(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  now: EpochNs,
  daysToCome: readonly UtcDay[] = [],
): Promise<SessionDates> {
  const today = dayOf(now);
  let first = today;
  for (const day of daysToCome) if (day < first) first = day;
  const symbols = await disk.list(daysDirectory(tapeRoot, dataset));
  for (const symbol of symbols.filter(isSafeName)) {
    const names = await disk.list(contractDirectory(tapeRoot, dataset, symbol));
    const day = names.map((name) => dayOfFile(name, 'json')).find((one) => one !== null);
    if (day !== undefined && day < first) first = day;
  }
  return { from: addDays(first, -BACK_DAYS), to: addDays(today, AHEAD_DAYS) };
}
