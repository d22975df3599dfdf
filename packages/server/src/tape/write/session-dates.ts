/**
 * The trading dates that the session books of a tape must cover: every day on the tape or about to come, with the
 * look-back before it, and the days around today. A day without sessions has no results, so books are made first.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { contractDirectory, dayOfFile, daysDirectory, isSafeName } from '../tape-paths.ts';

/** Look-backs and planned rolls reach less far. */
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
