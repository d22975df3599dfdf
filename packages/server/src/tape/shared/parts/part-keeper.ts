/** Stores parts of the open day every few minutes while this node leads: its records, then its columns. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/waiting/sleep.ts';
import type { LocalLog } from '../log/local-log.ts';
import type { TapeCopy } from '../tape-copy.ts';
import { type ColumnsEnd, columnsEnd, putColumnPart } from './column-parts.ts';
import { type DayCheckpoint, NOTHING } from './day-checkpoint.ts';
import { listParts, type PartsPlace, putPart } from './day-parts.ts';

const PART_EVERY_MS = 300_000;
/** A stored record becomes visible a moment later. */
const VISIBLE_AFTER_MS = 10;
const VISIBLE_TRIES = 100;

export interface PartKeeperOptions extends PartsPlace {
  readonly clock: Pick<Clock, 'after'>;
  readonly copy: TapeCopy;
  readonly local: LocalLog;
  readonly onFault: (what: string, error: unknown) => void;
}

/** Resolves after the signal is aborted. */
export async function keepParts(options: PartKeeperOptions, signal: AbortSignal): Promise<void> {
  const { clock, onFault } = options;
  let records: { readonly day: UtcDay; readonly to: number } | null = null;
  let columns: ColumnsEnd | null = null;
  while (!signal.aborted) {
    await sleep(clock, PART_EVERY_MS, signal);
    if (signal.aborted) return;
    const checkpoint = await visibleCheckpoint(options, signal);
    if (checkpoint === null) continue;
    try {
      records = await putRecords(options, checkpoint, records);
      columns = await putColumns(options, checkpoint, columns);
    } catch (error) {
      records = null;
      columns = null;
      onFault('a part of the open day could not be stored; the stream still has it', error);
    }
  }
}

async function visibleCheckpoint(
  { clock, copy }: PartKeeperOptions,
  signal: AbortSignal,
): Promise<DayCheckpoint | null> {
  for (let tries = 1; copy.end !== null && tries <= VISIBLE_TRIES; tries++) {
    const { checkpoint } = copy;
    if (checkpoint !== null) return checkpoint;
    await sleep(clock, VISIBLE_AFTER_MS, signal);
  }
  return null;
}

async function putRecords(
  options: PartKeeperOptions,
  { day, end, sequence }: DayCheckpoint,
  last: { readonly day: UtcDay; readonly to: number } | null,
): Promise<{ readonly day: UtcDay; readonly to: number } | null> {
  const { local, objects } = options;
  const from = last?.day === day ? last.to : ((await listParts(objects, day)).at(-1)?.to ?? 0);
  if (from >= end.bytes) return { day, to: from };
  // A day joined by columns becomes complete in the log a while later.
  if (from < local.wholeFrom) return null;
  await local.flushed();
  await putPart(options, { day, from, to: end.bytes, records: end.records, sequence });
  return { day, to: end.bytes };
}

async function putColumns(
  options: PartKeeperOptions,
  checkpoint: DayCheckpoint,
  last: ColumnsEnd | null,
): Promise<ColumnsEnd> {
  const { day, end } = checkpoint;
  let since = last?.day === day ? last : null;
  try {
    since ??= await columnsEnd(options, day);
  } catch (error) {
    options.onFault(
      'the newest columns of the open day cannot be read; all are stored again',
      error,
    );
  }
  since ??= { day, end: NOTHING, counts: [] };
  return since.end.bytes >= end.bytes ? since : await putColumnPart(options, checkpoint, since);
}
