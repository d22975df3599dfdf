/**
 * `npm run torture -- soak-export [million trades]`: compares a very long uncached export with a
 * short one. A million trades costs the same in both, and memory does not grow with the length.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HistoryProcess } from '../../bench/history/history-process.ts';
import { type MadeTape, makeTape, newestDays } from '../../bench/history/history-tape.ts';
import { alignedTable } from '../../bench/shared/table.ts';

const MILLION = 1_000_000;
const MIB = 2 ** 20;
const TRADES_PER_DAY = 5 * MILLION;
/** The most processor time for a million trades of the long export, relative to the short one. */
const RATIO_MAX = 1.25;
const GROWTH_BYTES_MAX = 256 * MIB;
/** The first rounds include compilation. */
const SHORT_ROUNDS = 4;
/** Time to store the last results in the cache. */
const SETTLE_MS = 1_000;

interface Cost {
  readonly trades: number;
  readonly seconds: number;
  readonly cpuMsPerMillion: number;
  readonly growthBytes: number;
}

export async function run({ rounds: millions }: { readonly rounds: number }): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-soak-'));
  const data = join(directory, 'data');
  const days = Math.max(2, Math.ceil((millions * MILLION) / TRADES_PER_DAY));
  try {
    console.log(`making ${days} days of ${TRADES_PER_DAY} trades`);
    const tape = await makeTape(data, { root: 'NQ', days, tradesPerDay: TRADES_PER_DAY });
    await using process = await HistoryProcess.start(data, 1);
    const shorts: Cost[] = [];
    for (let round = 0; round < SHORT_ROUNDS; round += 1) {
      shorts.push(await exported(process, tape, 1));
    }
    const short = shorts.reduce((a, b) => (a.cpuMsPerMillion <= b.cpuMsPerMillion ? a : b));
    console.log(`exporting ${days} days`);
    const long = await exported(process, tape, days);
    console.log(table([short, long]));
    const ratio = long.cpuMsPerMillion / short.cpuMsPerMillion;
    assert.ok(ratio <= RATIO_MAX, `a million trades costs ${ratio.toFixed(2)} × as much`);
    assert.ok(long.growthBytes <= GROWTH_BYTES_MAX, `memory grew by ${long.growthBytes} bytes`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function exported(process: HistoryProcess, tape: MadeTape, days: number): Promise<Cost> {
  process.clearCache();
  const { from, to, trades } = newestDays(tape, days);
  const range = { instrument: tape.symbol, from: String(from), to: String(to) };
  const before = await process.usage();
  const { ms } = await process.ask(0, '/v1/export', { ...range, indicator: 'footprint' });
  const after = await process.usage();
  await pause(SETTLE_MS);
  return {
    trades,
    seconds: ms / 1_000,
    cpuMsPerMillion: (after.cpuMs - before.cpuMs) / (trades / MILLION),
    growthBytes: after.rssPeakBytes - before.rssBytes,
  };
}

function table(costs: readonly Cost[]): string {
  return alignedTable(
    ['trades', 'seconds', 'processor ms a million', 'MiB more at most'],
    costs.map(({ trades, seconds, cpuMsPerMillion, growthBytes }) => [
      trades,
      seconds.toFixed(1),
      cpuMsPerMillion.toFixed(1),
      (growthBytes / MIB).toFixed(0),
    ]),
  );
}
