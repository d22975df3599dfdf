/** Logs what recovery found on the tape, and the days that are removed because of their age. */

import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Log } from '../platform/log/log.ts';
import type { RecoveryReport } from '../tape/write/open-tape.ts';
import type { TapesOpened } from './ingest/ingests.ts';
import type { OldDaysNews } from './ingest/large-removals.ts';

/** One line for each dataset: days that were deleted, or will be. */
export function tellOldDays(log: Log, { dueAt, ...news }: OldDaysNews): void {
  if (dueAt === null) {
    log.warn(news, 'days older than TAPELOOM_KEEP_DAYS were deleted');
    return;
  }
  const at = new Date(Number(dueAt / MS_NS_BIG)).toISOString();
  log.error(
    { ...news, at },
    'TAPELOOM_KEEP_DAYS would delete more than a tenth of the stored days; they are deleted at the given time, unless you change it before',
  );
}

/** Missing files that the log names at most. */
const MISSING_TOLD_MAX = 10;

export function tellRecovery(log: Log, { recoveries }: TapesOpened): void {
  for (const [dataset, recovery] of recoveries) tellRecoveryOf(log, dataset, recovery);
}

function tellRecoveryOf(log: Log, dataset: string, recovery: RecoveryReport): void {
  for (const { day, trades, tornBytes, ended } of recovery.logs) {
    log.info({ dataset, day, trades, ended }, 'a day was found in its log');
    if (tornBytes > 0)
      log.warn({ dataset, day, tornBytes }, 'a torn record was cut off; it was never acknowledged');
  }
  const { unfinishedRemoved, missing, setAside } = recovery;
  if (missing.length > 0) {
    const files = missing.slice(0, MISSING_TOLD_MAX);
    log.error(
      { dataset, days: missing.length, files },
      'sealed days are missing; see tapeloom tape verify',
    );
  }
  for (const file of setAside) {
    log.warn({ file }, 'a log whose day is sealed was moved aside; it is no longer needed');
  }
  if (unfinishedRemoved > 0)
    log.warn({ dataset, unfinishedRemoved }, 'unfinished files were removed');
}
