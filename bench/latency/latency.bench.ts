/**
 * From an accepted trade to the client's message: 1,000 connections on 10 topics of one contract
 * with 2,000 trades per second, through the whole process: tape, engine, hub, gateway. Beside it,
 * in turns, a bare loop in the same thread writes as many bytes to as many sockets at the edges of
 * the same flushes: the floor of any implementation. Also reports how late this machine runs a
 * timer.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { BareReaders } from '../peers/bare-writes.ts';
import { loadAverage } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { StreamProcess } from '../shared/stream-process.ts';
import { monotonicMs } from '../shared/stream-wire.ts';
import { bareTurn, rowsOf } from './bare-turn.ts';
import { LatencyReaders, type LatencyTopic } from './latency-readers.ts';
import { latencyReport, type Turn } from './latency-report.ts';
import { splitLatencies } from './latency-split.ts';

const CONNECTIONS = 1_000;
const ACCOUNTS = 200;
const TRADES_PER_SECOND = 2_000;
/** The first turn does not count: the JIT compilers are still at work. */
const TURNS = 5;
const SECONDS = 6;
/** The start of each turn, which does not count either. */
const SETTLING_MS = 1_000;
const REST_MS = 500;
/** The length of the timer that measures the machine's own delay. */
const TIMER_MS = 1;

const TOPICS: readonly LatencyTopic[] = [
  topic('bars'),
  topic('bars', { size: 5 }),
  topic('bars', { bar: 'tick', size: 100 }),
  topic('bars', { bar: 'range', size: 8 }),
  topic('footprint'),
  topic('footprint', { bar: 'volume', size: 500 }),
  topic('delta'),
  topic('vwap'),
  topic('volume-profile'),
  topic('tape-speed'),
];

export const run: Bench = async () => {
  const loadBefore = loadAverage();
  await using process = await StreamProcess.start(ACCOUNTS);
  using readers = await LatencyReaders.open(process, CONNECTIONS, TOPICS);
  using bareReaders = await BareReaders.open(process.barePort, CONNECTIONS);
  const timer = monitorEventLoopDelay({ resolution: TIMER_MS });
  const turns: Turn[] = [];
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const fromMs = monotonicMs() + SETTLING_MS;
    timer.enable();
    const driven = await driveOnce(process);
    timer.disable();
    const endMs = monotonicMs();
    await pause(REST_MS);
    const record = await process.edges(TOPICS);
    const split = splitLatencies(readers.receipts, record, fromMs, endMs + REST_MS);
    const rows = rowsOf(readers.receipts, record, fromMs, endMs);
    const bare = await bareTurn(process, bareReaders, rows, TOPICS.length);
    if (turn > 0) turns.push({ ...driven, ...bare, split });
    else timer.reset();
  }
  return latencyReport({
    turns,
    turnSeconds: SECONDS - SETTLING_MS / 1_000,
    connections: CONNECTIONS,
    topics: TOPICS.length,
    closed: readers.closed,
    timerLateP99Ms: timer.percentile(99) / 1e6 - TIMER_MS,
    loads: [loadBefore, loadAverage()],
  });
};

async function driveOnce(process: StreamProcess): Promise<Pick<Turn, 'tradesPerSecond' | 'cores'>> {
  const before = await process.usage();
  const startMs = performance.now();
  const trades = await process.drive({ tradesPerSecond: TRADES_PER_SECOND, seconds: SECONDS });
  const seconds = (performance.now() - startMs) / 1_000;
  const after = await process.usage();
  return {
    tradesPerSecond: trades / seconds,
    cores: (after.cpuMs - before.cpuMs) / (seconds * 1_000),
  };
}

function topic(indicator: string, given: Params = {}): LatencyTopic {
  const parsed = parseParams(indicatorNamed(indicator)!, given);
  if (!('params' in parsed)) throw new Error(`the parameters of ${indicator} are refused`);
  return { indicator, params: parsed.params };
}
