/** Readers of settled days over a test's tape, with their requests and results. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../src/platform/disk/disk.ts';
import type { DayLogs } from '../../src/results/day-logs.ts';
import { ResultCache } from '../../src/results/result-cache.ts';
import type { SettledDaysRequest } from '../../src/results/settled-days.ts';
import { type CacheUse, SettledDaysReader } from '../../src/results/settled-days-reader.ts';
import type { TapeReader } from '../../src/tape/read/tape-reader.ts';
import { daysOf, noLogs, pagesOf, type ReadDay } from '../history/settled-world.ts';
import { BY_ID, CONTRACT, DAY, paramsOf, SESSIONS } from '../stream/engine-run.ts';
import type { MemoryTape } from '../tape/memory-tape.ts';

export const DATASET = 'SIM';

export type Topic = readonly [string, Record<string, unknown>];

/** A result cache on a disk, which evicts nothing. */
export function cacheOn(disk: Disk): CacheUse {
  const results = new ResultCache({
    disk,
    root: '/cache',
    bytesMax: 2 ** 30,
    now: () => 1_000,
    writer: 'w',
  });
  return { results, datasetOf: () => DATASET };
}

export function readerOver(
  tape: MemoryTape | TapeReader,
  cache: CacheUse | null = null,
  indicators: ReadonlyMap<string, Indicator> = BY_ID,
  logs: DayLogs = noLogs(),
  onDamage?: ConstructorParameters<typeof SettledDaysReader>[0]['onDamage'],
): SettledDaysReader {
  return new SettledDaysReader({
    ...(onDamage && { onDamage }),
    tape,
    indicators,
    sessionsOf: () => SESSIONS,
    yieldTurn: async () => {},
    cache,
    logs,
  });
}

export function requestOf(
  [indicator, input]: Topic,
  until: EpochNs,
  more: Partial<SettledDaysRequest> = {},
): SettledDaysRequest {
  return {
    account: 'a',
    contract: CONTRACT,
    indicator,
    params: paramsOf(BY_ID.get(indicator)!, input),
    from: epochNs(DAY, 0),
    until,
    hasTail: false,
    form: 'blocks',
    ...more,
  };
}

export async function resultsOf(
  reader: SettledDaysReader,
  request: SettledDaysRequest,
): Promise<readonly ReadDay[]> {
  await using read = await reader.read(request);
  return daysOf(await pagesOf(read));
}
