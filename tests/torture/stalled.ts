/**
 * `npm run torture -- stalled [connections] [stalled] [KiB]`: some connections on busy topics stop
 * reading. The server holds a limited amount for each and closes it with 4008; the others are
 * hardly later than before. The kernel buffers about 4 MiB more for each. Beyond the machine's
 * limit for TCP every connection slows down, so the others are not judged; `KiB` limits these
 * buffers in a separate network namespace.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { LatencyReaders, type LatencyTopic } from '../../bench/latency/latency-readers.ts';
import { type LatencySplit, splitLatencies } from '../../bench/latency/latency-split.ts';
import { loadAverage } from '../../bench/shared/machine-load.ts';
import { StreamProcess } from '../../bench/shared/stream-process.ts';
import { forEachOf, LightSocket } from '../../bench/shared/stream-sockets.ts';
import { monotonicMs } from '../../bench/shared/stream-wire.ts';
import { runInOwnNetwork, sendBytesMax } from './own-network.ts';

const STALLED_SHARE = 0.25;
const CONNECTIONS_PER_ACCOUNT = 5;
const BYTES_EACH_MAX = 1.25 * 1_048_576;
/** The most other growth of the process: rings of the busy topics, garbage. */
const OWN_BYTES_MAX = 64 * 1_048_576;
/** Gives each reader of a busy topic about 125 KiB a second. */
const TRADES_PER_SECOND = 200;
const CALM_SECONDS = 15;
const STALLED_SECONDS = 50;
/** The first messages of each part are not measured: compilation, and the others' snapshots. */
const SETTLE_MS = 2_000;
const SAMPLE_MS = 200;
const PING_MS = 10_000;
const SLOW_CONSUMER = '4008';
/** The most that the others' 99th percentile may grow. */
const P99_FACTOR_MAX = 2;
const P99_MORE_MS_MAX = 20;

/** The topics of the others: finished bars, a few a second. */
const CALM: readonly LatencyTopic[] = [
  { ...topic('bars', { bar: 'tick', size: 40 }), mode: 'confirmed' },
  { ...topic('footprint', { bar: 'tick', size: 50 }), mode: 'confirmed' },
];
/** The topics of stalled readers: every trade is an object, so that nothing can be skipped. */
const LOUD: readonly LatencyTopic[] = [
  topic('bars', { bar: 'tick', size: 1 }),
  topic('footprint', { bar: 'tick', size: 1 }),
];

export async function run({
  rounds: connections,
  more: [
    stalled = Math.round(connections * STALLED_SHARE),
    sendKib,
    pressurePages = tcpPressurePages(),
  ] = [],
}: {
  readonly rounds: number;
  readonly more?: readonly number[];
}): Promise<void> {
  if (sendKib === undefined || sendBytesMax() === sendKib * 1_024) {
    await stallSome(connections, stalled, pressurePages);
    return;
  }
  // The machine's limit for TCP is not readable in a network of its own.
  const words = ['stalled', ...[connections, stalled, sendKib, pressurePages].map(String)];
  const end = await runInOwnNetwork(words, sendKib * 1_024);
  if ('skipped' in end) {
    console.log(`not run: it cannot have a network of its own here: ${end.skipped}`);
    return;
  }
  assert.equal(end.exitCode, 0, 'the run in its own network');
}

async function stallSome(
  connections: number,
  stalled: number,
  pressurePages: number,
): Promise<void> {
  const calm = connections - stalled;
  const calmAccounts = Math.ceil(calm / CONNECTIONS_PER_ACCOUNT);
  const accounts = calmAccounts + 1 + Math.ceil(stalled / CONNECTIONS_PER_ACCOUNT);
  await using process = await StreamProcess.start(accounts);
  using readers = await LatencyReaders.open(process, calm, CALM);
  // The busy topics are computed in both parts.
  using _loud = await LatencyReaders.open(process, LOUD.length, LOUD, calmAccounts);
  const calmFrom = monotonicMs() + SETTLE_MS;
  await process.drive({ tradesPerSecond: TRADES_PER_SECOND, seconds: CALM_SECONDS });
  const calmTo = monotonicMs();

  const before = await process.usage();
  using _stalled = await stall(process, stalled, calmAccounts + 1);
  const stalledFrom = monotonicMs() + SETTLE_MS;
  const watch = new MemoryWatch(process);
  await process.drive({ tradesPerSecond: TRADES_PER_SECOND, seconds: STALLED_SECONDS });
  const stalledTo = monotonicMs();
  await pause(SETTLE_MS);
  const { peakBytes, kernelPages } = await watch.end();

  const { closes } = await process.usage();
  const record = await process.edges(CALM);
  const grownBytes = peakBytes - before.residentBytes;
  const alone = splitLatencies(readers.receipts, record, calmFrom, calmTo);
  const beside = splitLatencies(readers.receipts, record, stalledFrom, stalledTo);
  console.log(
    `${stalled} stalled of ${connections}: the process grew by ${(grownBytes / 1_048_576).toFixed(0)} MiB at most, ` +
      `${(grownBytes / stalled / 1_048_576).toFixed(2)} MiB each; closes ${JSON.stringify(closes)}`,
  );
  tell('before', alone);
  tell('meanwhile', beside);
  console.log(
    `TCP took ${kernelPages} pages of the kernel's memory at most, which slows down from ${pressurePages} on; ` +
      `load average ${loadAverage()}`,
  );
  assert.equal(closes[SLOW_CONSUMER] ?? 0, stalled, 'each stalled reader is closed with 4008');
  assert.equal(readers.closed, 0, 'nobody else is closed');
  const limitBytes = stalled * BYTES_EACH_MAX + OWN_BYTES_MAX;
  assert.ok(grownBytes <= limitBytes, `${grownBytes} bytes, at most ${limitBytes}`);
  if (kernelPages >= pressurePages) {
    console.log('the kernel was short of memory for TCP: the others are not judged');
    return;
  }
  const limitMs = alone.elseMs.p99 * P99_FACTOR_MAX + P99_MORE_MS_MAX;
  assert.ok(beside.elseMs.p99 <= limitMs, `${beside.elseMs.p99} ms, at most ${limitMs} ms`);
}

function tell(when: string, { messages, elseMs }: LatencySplit): void {
  const { p50, p90, p99, max } = elseMs;
  const texts = [p50, p90, p99, max].map((ms) => ms.toFixed(1)).join(' / ');
  console.log(`the others ${when}: ${messages} messages, ${texts} ms late (p50 / p90 / p99 / max)`);
}

/** Opens connections that subscribe to the busy topics and never read again, but keep sending. */
async function stall(
  process: StreamProcess,
  count: number,
  firstAccount: number,
): Promise<Disposable> {
  const sockets: LightSocket[] = [];
  await forEachOf(count, async (index) => {
    const account = firstAccount + Math.floor(index / CONNECTIONS_PER_ACCOUNT);
    const options = { port: process.port, key: process.keys[account]! };
    const socket = await LightSocket.open(options, () => {});
    socket.socket.on('error', () => socket.destroy());
    for (const [at, loud] of LOUD.entries()) {
      socket.send({ t: 'subscribe', sub: `${at}`, instrument: process.symbol, ...loud });
    }
    socket.socket.pause();
    sockets.push(socket);
  });
  const pinging = setInterval(() => {
    for (const socket of sockets) socket.ping();
  }, PING_MS);
  return {
    [Symbol.dispose]: () => {
      clearInterval(pinging);
      for (const socket of sockets) socket.destroy();
    },
  };
}

class MemoryWatch {
  readonly #process: StreamProcess;
  readonly #done: Promise<void>;
  #peakBytes = 0;
  #kernelPages = 0;
  #isOver = false;

  constructor(process: StreamProcess) {
    this.#process = process;
    this.#done = this.#watch();
  }

  /** Resolves to the peak of the process, and of TCP on the whole machine. */
  async end(): Promise<{ readonly peakBytes: number; readonly kernelPages: number }> {
    this.#isOver = true;
    await this.#done;
    return { peakBytes: this.#peakBytes, kernelPages: this.#kernelPages };
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const { residentBytes } = await this.#process.usage();
      this.#peakBytes = Math.max(this.#peakBytes, residentBytes);
      this.#kernelPages = Math.max(this.#kernelPages, tcpPages());
      await pause(SAMPLE_MS);
    }
  }
}

/** Pages that all TCP connections of the machine take now; 0 on other systems than Linux. */
function tcpPages(): number {
  if (process.platform !== 'linux') return 0;
  return Number(/^TCP: .* mem (\d+)$/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]);
}

function tcpPressurePages(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  return Number(readFileSync('/proc/sys/net/ipv4/tcp_mem', 'utf8').split(/\s+/)[1]);
}

function topic(indicator: string, given: Params): LatencyTopic {
  const parsed = parseParams(indicatorNamed(indicator)!, given);
  if (!('params' in parsed)) throw new Error(`the parameters of ${indicator} are refused`);
  return { indicator, params: parsed.params };
}
