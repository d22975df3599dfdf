/** Puts parts of the open day every few minutes, as long as this machine appends. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import { pause } from '../stream/pause.ts';
import { listParts, type PartsPlace, putPart } from './day-parts.ts';
import type { LocalLog } from './local-log.ts';
import type { TapeCopy } from './tape-copy.ts';

const PART_EVERY_MS = 300_000;

export interface PartKeeperOptions extends PartsPlace {
  readonly clock: Pick<Clock, 'after'>;
  readonly copy: TapeCopy;
  readonly local: LocalLog;
  readonly onFault: (what: string, error: unknown) => void;
}

/** Resolves when the signal says so. */
export async function keepParts(options: PartKeeperOptions, signal: AbortSignal): Promise<void> {
  const { clock, onFault } = options;
  let last: { readonly day: UtcDay; readonly to: number } | null = null;
  while (!signal.aborted) {
    await pause(clock, PART_EVERY_MS, signal);
    if (signal.aborted) return;
    try {
      last = await putNext(options, last);
    } catch (error) {
      last = null;
      onFault('a part of the open day could not be put; the stream has it', error);
    }
  }
}

async function putNext(
  options: PartKeeperOptions,
  last: { readonly day: UtcDay; readonly to: number } | null,
): Promise<{ readonly day: UtcDay; readonly to: number } | null> {
  const { copy, local, objects } = options;
  const { end } = copy;
  if (end === null) return last;
  const { day, bytes, records, sequence } = end;
  const from = last?.day === day ? last.to : ((await listParts(objects, day)).at(-1)?.to ?? 0);
  if (from >= bytes) return { day, to: from };
  await local.flushed();
  await putPart(options, { day, from, to: bytes, records, sequence });
  return { day, to: bytes };
}
