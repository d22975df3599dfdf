/**
 * One topic to 1,000 connections: messages per second through gateway and hub with all checks on.
 * Beside it, a bare server writes the same prepared bytes in as many writes, and `ws.send` sends
 * each message. Servers and readers are separate processes; the servers take turns. Then the whole
 * service, engine and tape included, with the trades of one contract.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadAverage, median } from '../shared/machine-load.ts';
import type { Bench, BenchReport } from '../shared/report.ts';
import { forEachOf, LightSocket } from '../shared/stream-sockets.ts';
import { type WholeService, wholeService } from './fanout-whole.ts';
import {
  FANOUT_TARGETS,
  type FanoutPlay,
  type FanoutTarget,
  type FromFanoutServer,
  type ToFanoutServer,
} from './fanout-wire.ts';
import { FrameCounter } from './frame-counter.ts';

const CONNECTIONS = 1_000;
const CONNECTIONS_PER_ACCOUNT = 5;
const ROUNDS = 5;
const PING_MS = 10_000;
const POLL_MS = 1;
const BARE_TARGET = 0.8;
const WS_TARGET = 5;

/** Messages per flush, and flushes per round: about a second's worth at most. */
const LOADS = [
  { messagesPerFlush: 1, turns: { service: 40, bare: 40, 'ws.send': 40 } },
  { messagesPerFlush: 10, turns: { service: 40, bare: 40, 'ws.send': 8 } },
  { messagesPerFlush: 40, turns: { service: 25, bare: 25, 'ws.send': 2 } },
] as const;

type Ready = FromFanoutServer & { readonly t: 'ready' };

interface Round {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

interface Result {
  readonly target: FanoutTarget;
  readonly messagesPerFlush: number;
  readonly rounds: readonly Round[];
}

export const run: Bench = async () => {
  const loadBefore = loadAverage();
  const results = await sideBySide();
  const whole = await wholeService(CONNECTIONS);
  return report(results, whole, [loadBefore, loadAverage()]);
};

async function sideBySide(): Promise<readonly Result[]> {
  const data = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const accounts = String(CONNECTIONS / CONNECTIONS_PER_ACCOUNT);
  const child = fork(new URL('./fanout-server.ts', import.meta.url), [data, accounts]);
  try {
    const [ready] = (await once(child, 'message')) as [Ready];
    const readers = new Map<FanoutTarget, Readers>();
    for (const target of FANOUT_TARGETS) {
      readers.set(target, await Readers.open(ready.ports[target], ready.keys, target));
    }
    const results: Result[] = [];
    for (const { messagesPerFlush, turns } of LOADS) {
      const rounds = new Map<FanoutTarget, Round[]>(FANOUT_TARGETS.map((it) => [it, []]));
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const target of FANOUT_TARGETS) {
          const play = { target, messagesPerFlush, turns: turns[target] };
          const result = await measure(child, readers.get(target)!, play);
          // The first round of each server warms up.
          if (round > 0) rounds.get(target)!.push(result);
        }
      }
      for (const [target, all] of rounds) {
        results.push({ target, messagesPerFlush, rounds: all });
      }
    }
    for (const each of readers.values()) each.close();
    return results;
  } finally {
    child.disconnect();
    await once(child, 'exit');
    rmSync(data, { recursive: true });
  }
}

/** All connections to one server. */
class Readers {
  readonly #sockets: LightSocket[] = [];
  readonly #counters: FrameCounter[] = [];
  readonly #pinging: NodeJS.Timeout | null;

  private constructor(pings: boolean) {
    // Only the service closes silent connections.
    this.#pinging = pings ? setInterval(() => this.#ping(), PING_MS) : null;
  }

  static async open(port: number, keys: readonly string[], target: FanoutTarget): Promise<Readers> {
    const readers = new Readers(target === 'service');
    await forEachOf(CONNECTIONS, async (index) => {
      const counter = new FrameCounter();
      const key = target === 'service' ? keys[Math.floor(index / CONNECTIONS_PER_ACCOUNT)]! : null;
      const socket = await LightSocket.open({ port, key }, counter.take);
      readers.#sockets.push(socket);
      readers.#counters.push(counter);
      if (target !== 'service') return;
      socket.send({ t: 'subscribe', sub: 'a', instrument: 'BTC.c.0', indicator: 'bars' });
      while (counter.snapshots === 0) await pause(POLL_MS);
    });
    return readers;
  }

  get upserts(): number {
    let sum = 0;
    for (const { upserts, closeCode } of this.#counters) {
      if (closeCode !== null) throw new Error(`a connection was closed with ${closeCode}`);
      sum += upserts;
    }
    return sum;
  }

  close(): void {
    if (this.#pinging !== null) clearInterval(this.#pinging);
    for (const socket of this.#sockets) socket.destroy();
  }

  #ping(): void {
    for (const socket of this.#sockets) socket.ping();
  }
}

async function measure(child: ChildProcess, readers: Readers, play: FanoutPlay): Promise<Round> {
  const messages = CONNECTIONS * play.turns * play.messagesPerFlush;
  const wanted = readers.upserts + messages;
  const cpuBefore = await ask(child, { t: 'play', ...play });
  const startMs = performance.now();
  while (readers.upserts < wanted) await pause(POLL_MS);
  const seconds = (performance.now() - startMs) / 1_000;
  const cpuMs = (await ask(child, { t: 'cpu' })) - cpuBefore;
  return { perSecond: messages / seconds, cpuMicroseconds: (cpuMs * 1_000) / messages };
}

async function ask(child: ChildProcess, message: ToFanoutServer): Promise<number> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [FromFanoutServer & { readonly t: 'cpu' }];
  return answer.cpuMs;
}

function report(
  results: readonly Result[],
  whole: WholeService,
  [loadBefore, loadAfter]: readonly [number, number],
): BenchReport {
  const sizes = LOADS.map(({ messagesPerFlush }) => messagesPerFlush);
  const roundsOf = (target: FanoutTarget, size: number) =>
    results.find((it) => it.target === target && it.messagesPerFlush === size)!.rounds;
  /** Compares round by round, so that a busy moment of the machine hits both. */
  const ratio = (of: keyof Round, size: number, target: FanoutTarget, to: FanoutTarget) => {
    const others = roundsOf(to, size);
    return median(roundsOf(target, size).map((it, round) => it[of] / others[round]![of]));
  };
  const shares = sizes.map((size) => ratio('perSecond', size, 'service', 'bare'));
  const cpuShares = sizes.map((size) => ratio('cpuMicroseconds', size, 'bare', 'service'));
  const gains = sizes.map((size) => ratio('perSecond', size, 'service', 'ws.send'));
  const cpuGains = sizes.map((size) => ratio('cpuMicroseconds', size, 'ws.send', 'service'));
  const percent = (shared: number) => `${(100 * shared).toFixed(0)} %`;
  const times = (gain: number) => `${gain.toFixed(1)} ×`;
  const worst = Math.min(...shares);
  const best = Math.max(...gains);
  return {
    title: `Fan-out of one topic to ${CONNECTIONS.toLocaleString('en')} connections`,
    columns: ['messages a flush', 'server', 'thousand messages/s', 'CPU µs a message'],
    rows: [
      ...sizes.flatMap((size) =>
        FANOUT_TARGETS.map((target) => [
          size,
          target,
          Math.round(median(roundsOf(target, size).map((it) => it.perSecond)) / 1_000),
          median(roundsOf(target, size).map((it) => it.cpuMicroseconds)).toFixed(2),
        ]),
      ),
      [
        whole.messagesPerFlush.toFixed(0),
        'whole process',
        Math.round(whole.perSecond / 1_000),
        `${whole.mainCpuMicroseconds.toFixed(2)} (all threads ${whole.cpuMicroseconds.toFixed(2)})`,
      ],
    ],
    notes: [
      `Medians of ${ROUNDS} rounds, messages of about 310 bytes, real keys of ${CONNECTIONS / CONNECTIONS_PER_ACCOUNT} accounts, the ` +
        "readers one process that counts frames. CPU is that of the server's thread that writes.",
      'A flush is one write a connection for the service and for the bare server; `ws.send` writes each ' +
        'message. Flushes come every 20 ms of tape time, so a busier topic has more messages in each.',
      `Service to bare, messages/s: ${shares.map(percent).join(', ')}; by CPU: ${cpuShares.map(percent).join(', ')}.`,
      `Service to ws.send, messages/s: ${gains.map(times).join(', ')}; by CPU: ${cpuGains.map(times).join(', ')}.`,
      `Target: at least ${percent(BARE_TARGET)} of the bare server at every size: ${worst >= BARE_TARGET ? 'met' : 'missed'} (${percent(worst)}).`,
      `Target: at least ${WS_TARGET} × ws.send on a busy topic (${sizes.at(-1)} messages a flush): ` +
        `${best >= WS_TARGET ? 'met' : 'missed'} (${times(gains.at(-1)!)}).`,
      `The whole process (tape, engine, gateway; bars of one trade at ${whole.tradesPerSecond.toLocaleString('en')} trades/s) is paced by ` +
        `the trades: what it delivered of what was published is ${percent(whole.deliveredShare)}.`,
      natsNote(),
      `Load average ${loadBefore} before, ${loadAfter} after.`,
    ],
    json: {
      connections: CONNECTIONS,
      results: results.map(({ target, messagesPerFlush, rounds }) => ({
        target,
        messagesPerFlush,
        perSecond: Math.round(median(rounds.map((it) => it.perSecond))),
        cpuMicroseconds: median(rounds.map((it) => it.cpuMicroseconds)),
      })),
      shareOfBare: Object.fromEntries(sizes.map((size, at) => [size, shares[at]])),
      shareOfBareByCpu: Object.fromEntries(sizes.map((size, at) => [size, cpuShares[at]])),
      timesWsSend: Object.fromEntries(sizes.map((size, at) => [size, gains[at]])),
      timesWsSendByCpu: Object.fromEntries(sizes.map((size, at) => [size, cpuGains[at]])),
      whole,
      loadAverage: [loadBefore, loadAfter],
    },
  };
}

function natsNote(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isPresent = folders.some((folder) => existsSync(join(folder, 'nats-server')));
  return `nats-server is ${isPresent ? 'present, but not measured' : 'absent, so its fan-out is not beside these'}.`;
}
