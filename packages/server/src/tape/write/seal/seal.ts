/**
 * Seals a finished day into files that never change: first the Arrow file, then the sidecar that marks it complete,
 * each synced under a temporary name and renamed. After a crash the day is sealed or can be sealed again.
 */

import { isDeepStrictEqual } from 'node:util';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { type Disk, replaceFile } from '../../../platform/disk/disk.ts';
import { type LateRows, type LiveColumns, liveBatches } from '../../live-columns.ts';
import { readSoundSidecar } from '../../read/sealed-days.ts';
import type { DaySpan } from '../../tape.ts';
import { DayConflictError } from '../../tape-errors.ts';
import { contractDirectory, sealedPath, sidecarPath } from '../../tape-paths.ts';
import { digestOf, encodeDay } from './encode-day.ts';

export interface SealRequest {
  readonly dataset: string;
  readonly symbol: string;
  /** The whole day, from rank 1. */
  readonly batch: TradeBatch;
  /** Stamp minus source time of every trade, if the source has it. */
  readonly late?: Float64Array;
  /** The day's known digest; other trades are rejected. */
  readonly expected?: string | null;
  /** Open hours whose trades are lost. */
  readonly gaps?: readonly DaySpan[];
}

interface Place {
  readonly dataset: string;
  readonly symbol: string;
  readonly day: UtcDay;
  readonly expected: string | null;
  readonly gaps: readonly DaySpan[];
}

/** Resolves to the digest of its trades. A day that is already sealed with the same trades stays unchanged. */
export async function sealDay(
  disk: Disk,
  tapeRoot: string,
  { dataset, symbol, batch, late, expected = null, gaps = [] }: SealRequest,
): Promise<string> {
  if (batch.firstRank !== 1) throw new RangeError('a day is sealed from rank 1');
  const ranks: number[] = [];
  const byNs: number[] = [];
  for (let row = 0; late !== undefined && row < batch.count; row++) {
    if (late[row] === 0) continue;
    ranks.push(row + 1);
    byNs.push(late[row]!);
  }
  const place = { dataset, symbol, day: batch.day, expected, gaps };
  return await seal(disk, tapeRoot, place, [batch], { ranks, byNs });
}

/** Seals one contract's rows from a log in the same way. */
export async function sealColumns(
  disk: Disk,
  tapeRoot: string,
  place: Place,
  columns: LiveColumns,
): Promise<string> {
  const { count, segments, lateRanks, lateByNs } = columns;
  const batches = liveBatches({ day: place.day, count, segments }, 0, count);
  return await seal(disk, tapeRoot, place, [...batches], { ranks: lateRanks, byNs: lateByNs });
}

async function seal(
  disk: Disk,
  tapeRoot: string,
  place: Place,
  batches: readonly TradeBatch[],
  late: LateRows,
): Promise<string> {
  const { dataset, symbol, day, expected, gaps } = place;
  const digest = await digestOf(batches, place);
  if (expected !== null && expected !== digest) {
    throw new DayConflictError(dataset, symbol, day, 'was sealed before, with other trades');
  }
  const path = sidecarPath(tapeRoot, dataset, symbol, day);
  const directory = contractDirectory(tapeRoot, dataset, symbol);
  // A damaged sidecar counts as none, since the day can still be sealed again.
  const before = await readSoundSidecar(disk, path);
  if (before !== null) {
    if (before.digest === digest && isDeepStrictEqual(before.gaps ?? [], gaps)) {
      // Its writer may have crashed before the directory entry was on disk, and the log is removed next.
      await disk.makeDirectory(directory);
      await disk.syncDirectory(directory);
      return digest;
    }
    const what = before.digest === digest ? 'gaps' : 'trades';
    throw new DayConflictError(dataset, symbol, day, `is sealed already, with other ${what}`);
  }
  const files = await encodeDay(place, batches, late, { digest, gaps });
  await disk.makeDirectory(directory);
  await replaceFile(disk, sealedPath(tapeRoot, dataset, symbol, day), files.arrow);
  await replaceFile(disk, path, files.sidecar);
  return digest;
}
