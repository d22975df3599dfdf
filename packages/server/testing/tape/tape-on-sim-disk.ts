/** A tape on a simulated disk, with its content as plain rows for comparison. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import type { Clock } from '../../src/platform/clock.ts';
import type { Disk } from '../../src/platform/disk/disk.ts';
import { RetryingDisk } from '../../src/platform/disk/retrying-disk.ts';
import { FaultRetry } from '../../src/platform/waiting/fault-retry.ts';
import type { Tape, TapeDay } from '../../src/tape/tape.ts';
import { type OpenTape, openTape } from '../../src/tape/write/open-tape.ts';
import { SCRIPT_SYMBOLS } from './feed-script.ts';

export const TAPE_ROOT = '/data/tape';
export const DATASET = 'SIM';
const LONG_AFTER = 4_000_000_000_000_000_000n as EpochNs;
const BEFORE_ALL = { day: utcDay(19_700_101), rank: 0 as Rank };

/** Every wait ends at the next turn. */
const NO_WAIT_CLOCK: Pick<Clock, 'now' | 'after'> = {
  now: () => LONG_AFTER,
  after: (_ms, run) => {
    queueMicrotask(run);
    return { [Symbol.dispose]: () => {} };
  },
};

export function openSimTape(
  disk: Disk,
  options: {
    readonly now?: EpochNs;
    readonly listed?: () => readonly string[];
    readonly onFailure?: (error: Error) => void;
    /** The clock for retries; default: every wait ends at once. */
    readonly clock?: Pick<Clock, 'now' | 'after'>;
  } = {},
): Promise<OpenTape> {
  return openTape({
    disk: new RetryingDisk(disk, new FaultRetry({ clock: options.clock ?? NO_WAIT_CLOCK })),
    tapeRoot: TAPE_ROOT,
    dataset: DATASET,
    listed: options.listed ?? (() => SCRIPT_SYMBOLS),
    now: () => options.now ?? LONG_AFTER,
    onFailure: options.onFailure ?? (() => {}),
  });
}

/** Day, rank, stamp, price, size, side. */
export type TapeRow = readonly [UtcDay, number, number, number, number, number];

export async function tapeRows(tape: Tape, symbol: string): Promise<readonly TapeRow[]> {
  const rows: TapeRow[] = [];
  for await (const { day, firstRank, count, ts, price, size, side } of tape.read(
    symbol,
    BEFORE_ALL,
  )) {
    for (let row = 0; row < count; row++) {
      rows.push([day, firstRank + row, ts[row]!, price[row]!, size[row]!, side[row]!]);
    }
  }
  return rows;
}

export async function allTapeRows(
  tape: Tape,
): Promise<Readonly<Record<string, readonly TapeRow[]>>> {
  const all: Record<string, readonly TapeRow[]> = {};
  for (const symbol of SCRIPT_SYMBOLS) all[symbol] = await tapeRows(tape, symbol);
  return all;
}

export async function allDays(tape: Tape): Promise<Readonly<Record<string, readonly TapeDay[]>>> {
  const all: Record<string, readonly TapeDay[]> = {};
  for (const symbol of SCRIPT_SYMBOLS) all[symbol] = await tape.days(symbol);
  return all;
}
