/** `tapeloom sim fill`: generates past days of simulated contracts and seals them. */

import { resolve } from 'node:path';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { FillItem } from '@tapeloom/server/markets/market';
import { type FillProgress, readFillState, runFill } from '@tapeloom/server/markets/sim/fill';
import {
  createSimUniverse,
  SIM_DATASET,
  type SimUniverse,
} from '@tapeloom/server/markets/sim/sim-universe';
import { claimSimTape } from '@tapeloom/server/markets/sim/tape-claim';
import { DirectoryLockedError, lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';
import { dateText, readDay } from '../day-text.ts';
import { ERASE_LINE } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';
import { whyShared } from '../tape/why-shared.ts';

const INSTEAD = 'the node that appends generates past days, and the others fetch them';

export const simFillCommand: CommandBody = {
  usage: `Usage: tapeloom sim fill --contract <symbol>|all --from <date> --to <date> [--data <directory>]

Generates the days from --from to --to, both included, and seals them on the tape. Existing days
stay unchanged. Days are always the same for one seed (TAPELOOM_SIM_SEED, TAPELOOM_SIM_SCALE), so a
fill may be stopped at any moment and started again. The service must not run on this directory.

  --contract <symbol>  a simulated contract (ESU6), or all that traded in these days
  --from <date>        first day in UTC, as 2026-09-01
  --to <date>          last day in UTC, yesterday at the latest
  --data <directory>   the data directory (default: TAPELOOM_DATA or ./data)

Examples:
  tapeloom sim fill --contract ESU6 --from 2026-09-01 --to 2026-09-10
  tapeloom sim fill --contract all --from 2026-11-02 --to 2026-11-06`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: ['contract', 'from', 'to', 'data'], words: [] });
  const today = dayOf(createClock({ kind: 'system' }).now());
  const range = readRange(values.from, values.to, today);
  const config = configOf(io);
  const sim = { seed: config.simSeed, printsScale: config.simScale };
  const universe = createSimUniverse(sim, today);
  const items = itemsOf(universe, values.contract, range);
  const data = values.data === undefined ? config.data : resolve(values.data);
  using lock = takeDirectory(data, io);
  if (lock === null) return 1;
  const tapeRoot = `${data}/tape`;
  const disk = new NodeDisk();
  const shared = await whyShared(disk, tapeRoot, SIM_DATASET, INSTEAD);
  if (shared !== null) {
    io.stderr(`${shared}\n`);
    return 1;
  }
  await claimSimTape(disk, tapeRoot, sim);
  const state = await readFillState(disk, tapeRoot);
  const missing = items.filter(({ symbol, day }) => !state.isDone(symbol, day));
  if (missing.length < items.length) {
    io.stdout(
      `${count(items.length - missing.length, 'day')} already on the tape, left unchanged.\n`,
    );
  }
  const setting = { tapeRoot, sim, today };
  const manifest = await TapeManifest.open(disk, tapeRoot, SIM_DATASET);
  const result = await runFill(setting, missing, showProgress(io), io.signal, manifest);
  if (io.isTerminal) io.stdout(ERASE_LINE);
  const made = `${count(result.days, 'day')} made with ${count(result.trades, 'trade')}`;
  for (const conflict of result.conflicts) io.stderr(`Not made: ${conflict}.\n`);
  io.stdout(result.isComplete ? `${made}.\n` : `Stopped: ${made}, the rest is still missing.\n`);
  return result.isComplete ? 0 : 1;
}

/** Null when another process holds the lock. */
function takeDirectory(data: string, io: CommandIo): Disposable | null {
  try {
    return lockDirectory(data);
  } catch (error) {
    if (!(error instanceof DirectoryLockedError)) throw error;
    io.stderr(`${error.message}. Stop the service before you fill its tape.\n`);
    return null;
  }
}

interface DayRange {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

function readRange(from: string | undefined, to: string | undefined, today: UtcDay): DayRange {
  const range = { from: readDay('--from', from), to: readDay('--to', to) };
  if (range.from > range.to) throw new UsageError(`--from ${from} is after --to ${to}`);
  if (range.to >= today) {
    throw new UsageError(
      `--to ${to} has not ended yet; the last possible day is ${dateText(addDays(today, -1))}`,
    );
  }
  return range;
}

/** The days of the range, newest first. A single contract must have traded on all of them. */
function itemsOf(universe: SimUniverse, symbol: string | undefined, range: DayRange): FillItem[] {
  if (symbol === undefined) throw new UsageError('--contract is missing');
  const all = universe.contracts.map((contract) => contract.symbol);
  if (symbol !== 'all' && !all.includes(symbol)) {
    throw new UsageError(
      `no simulated contract is named ${symbol}; the contracts are ${all.join(' ')}`,
    );
  }
  const items: FillItem[] = [];
  for (const one of symbol === 'all' ? all : [symbol]) {
    const { firstDay, lastDay } = universe.market.life(one);
    if (symbol !== 'all' && (range.from < firstDay || range.to > lastDay)) {
      const life = `from ${dateText(firstDay)} to ${dateText(lastDay)}`;
      throw new UsageError(`${symbol} trades ${life} only`);
    }
    for (let day = range.from; day <= range.to; day = addDays(day, 1)) {
      if (day >= firstDay && day <= lastDay) items.push({ symbol: one, day });
    }
  }
  if (items.length === 0) throw new UsageError('no listed contract traded in these days');
  return items.sort((a, b) => b.day - a.day);
}

/** On a terminal one changing line, otherwise one line per day. */
function showProgress(io: CommandIo): (progress: FillProgress) => void {
  return ({ item, itemTrades, days, daysTotal, trades }) => {
    const name = `${item.symbol} ${dateText(item.day)}`;
    if (!io.isTerminal) {
      io.stdout(`${name}  ${count(itemTrades, 'trade')}  (${days} of ${daysTotal})\n`);
      return;
    }
    const percent = Math.floor((100 * days) / daysTotal);
    const shown = `${percent}%  ${days} of ${count(daysTotal, 'day')}  ${count(trades, 'trade')}`;
    io.stdout(`${ERASE_LINE}${shown}  ${name}`);
  };
}

function count(value: number, what: string): string {
  return `${value.toLocaleString('en')} ${what}${value === 1 ? '' : 's'}`;
}
