/**
 * From a trade that is accepted to the message that reaches a client: 1,000 connections on 10 topics of
 * one contract that trades 2,000 times a second, through the whole process: tape, engine, hub, gateway.
 * Beside it, how late this machine runs a timer at the same time, and what the same writes cost a bare loop in
 * the same thread, which nothing can be better than.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { BareReaders } from '../peers/bare-writes.ts';
import { loadAverage, median } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { StreamProcess } from '../shared/stream-process.ts';
import { monotonicMs } from '../shared/stream-wire.ts';
import { LatencyReaders, type LatencyTopic, type Receipts } from './latency-readers.ts';
import { type Distribution, splitLatencies } from './latency-split.ts';

const CONNECTIONS = 1_000;
const ACCOUNTS = 200;
const TRADES_PER_SECOND = 2_000;
const SECONDS = 15;
/** At the start compilers are still at work; the messages of this time are left out. */
const WARM_UP_MS = 5_000;
const REST_MS = 1_500;
/** Of everything else, over the time of the same bare writes. */
const BARE_TARGET = 2;
const BARE_ROUNDS = 200;
/** A timer of this length is what the machine's own delay is measured with. */
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
  const before = await process.usage();
  const fromMs = monotonicMs() + WARM_UP_MS;
  const timer = monitorEventLoopDelay({ resolution: TIMER_MS });
  timer.enable();
  const drive = { tradesPerSecond: TRADES_PER_SECOND, seconds: SECONDS };
  const startMs = performance.now();
  const trades = await process.drive(drive);
  const seconds = (performance.now() - startMs) / 1_000;
  timer.disable();
  const after = await process.usage();
  await pause(REST_MS);
  const toMs = monotonicMs();
  const split = splitLatencies(readers.receipts, await process.edges(TOPICS), fromMs, toMs);
  const bareMs = await bareRound(process, readers.receipts);
  const loads = [loadBefore, loadAverage()] as const;
  const row = (what: string, { p50, p90, p99, p999, max }: Distribution) => [
    what,
    ...[p50, p90, p99, p999, max].map((ms) => ms.toFixed(1)),
  ];
  const timerP99 = timer.percentile(99) / 1e6 - TIMER_MS;
  const cores = (after.cpuMs - before.cpuMs) / (seconds * 1_000);
  const toBare = split.elseMs.p99 / bareMs;
  const verdict = toBare <= BARE_TARGET ? 'met' : 'missed';
  return {
    title: `Trade accepted to message received, ${CONNECTIONS.toLocaleString('en')} connections on ${TOPICS.length} topics`,
    columns: ['milliseconds', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    rows: [
      row('in all', split.totalMs),
      row('waiting for the flush step', split.waitingMs),
      row('everything else', split.elseMs),
      row('  until the flush is closed', split.closingMs),
      row('  computing and delivering', split.deliveringMs),
    ],
    notes: [
      `${split.messages.toLocaleString('en')} messages of the last ${SECONDS - WARM_UP_MS / 1_000} s, ` +
        `${Math.round(trades / seconds).toLocaleString('en')} trades/s, each connection on one topic. A trade is accepted when it is on disk.`,
      'Waiting ends at the edge of the flush: every 20 ms of tape time, longer steps for large objects, each topic at its own phase. ' +
        'A flush is closed by the next trade or promise on disk. ' +
        "Everything else includes the reader's process, on the same machine, which reads into one memory for all its sockets.",
      `The server's process took ${cores.toFixed(2)} cores. ` +
        `A timer of this process was up to ${timerP99.toFixed(1)} ms late in 99 % of all cases.`,
      `A bare loop in the same thread takes ${bareMs.toFixed(1)} ms to write as many bytes to as many sockets once (median of ${BARE_ROUNDS} rounds). ` +
        `Target, on a quiet machine: everything else p99 at most ${BARE_TARGET} times that: ${verdict} ` +
        `(${toBare.toFixed(2)}); load average ${loads[0]} before, ${loads[1]} after.`,
      ...(readers.closed > 0 ? [`${readers.closed} connections were closed by the server.`] : []),
    ],
    json: {
      connections: CONNECTIONS,
      topics: TOPICS.length,
      tradesPerSecond: Math.round(trades / seconds),
      ...split,
      bareRoundMs: bareMs,
      elseP99ToBare: toBare,
      timerLateP99Ms: timerP99,
      serverCores: cores,
      closed: readers.closed,
      loadAverage: loads,
    },
  };
};

/** How long the server's thread takes for one message to each connection if it does nothing but write. */
async function bareRound(process: StreamProcess, receipts: readonly Receipts[]): Promise<number> {
  using _readers = await BareReaders.open(process.barePort, CONNECTIONS);
  const sizes = receipts.map(({ bytes, cursorIndexes }) =>
    Math.round(bytes / Math.max(1, cursorIndexes.length)),
  );
  return median([...(await process.bareWrites(sizes, BARE_ROUNDS))]);
}

function topic(indicator: string, given: Params = {}): LatencyTopic {
  const parsed = parseParams(indicatorNamed(indicator)!, given);
  if (!('params' in parsed)) throw new Error(`the parameters of ${indicator} are refused`);
  return { indicator, params: parsed.params };
}
