/** Sealed days of a live tape on any disk, from trades in memory, whatever gaps they should have. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { SealedLiveDays } from '../src/imports/live-days.ts';
import type { Disk } from '../src/platform/disk/disk.ts';
import { NO_LIVE_DAYS, TapeReader } from '../src/tape/read/tape-reader.ts';
import type { DaySpan, Tape } from '../src/tape/tape.ts';
import { TapeManifest } from '../src/tape/tape-manifest.ts';
import { logDirectory } from '../src/tape/tape-paths.ts';
import { sealDay } from '../src/tape/write/seal/seal.ts';
import { batchOf, type TradeRow } from './imported-dataset.ts';
import { DATASET, NOW, type Row, TAPE_ROOT } from './imports.ts';

const DAY_NS = 86_400_000_000_000n;

export interface LiveDayToSeal {
  readonly symbol: string;
  readonly day: UtcDay;
  readonly rows: readonly Row[];
}

/** Seals these days and names them; `log`: a day whose log is open. */
export async function sealLiveDays(
  disk: Disk,
  days: readonly LiveDayToSeal[],
  log: UtcDay | null = null,
): Promise<void> {
  const dataset = DATASET.name;
  for (const { symbol, day, rows } of days) {
    const trades = rows.map(({ ts, price, size, side }): TradeRow => {
      return [Number(ts % DAY_NS), price, size, side];
    });
    await sealDay(disk, TAPE_ROOT, { dataset, symbol, batch: batchOf(day, trades) });
  }
  await disk.makeDirectory(logDirectory(TAPE_ROOT, dataset));
  const manifest = await TapeManifest.open(disk, TAPE_ROOT, dataset);
  if (log !== null) await manifest.logBegun(log);
  await manifest.save();
}

/** The sealed days, with these gaps by day. */
export async function liveDays(
  disk: Disk,
  gaps: ReadonlyMap<UtcDay, readonly DaySpan[]> = new Map(),
): Promise<SealedLiveDays> {
  const { name: dataset } = DATASET;
  const reader = new TapeReader(disk, TAPE_ROOT, dataset, NO_LIVE_DAYS);
  const tape: Tape = {
    read: (...where) => reader.read(...where),
    rankBefore: (...place) => reader.rankBefore(...place),
    days: async (symbol) =>
      (await reader.days(symbol)).map((day) => {
        const missing = gaps.get(day.day);
        return missing === undefined ? day : { ...day, state: 'partial', gaps: missing };
      }),
  };
  return await SealedLiveDays.open({ disk, tapeRoot: TAPE_ROOT, dataset, today: dayOf(NOW), tape });
}
