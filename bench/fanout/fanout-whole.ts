/** The fan-out of the whole process, tape and engine included: each trade goes to all clients. */

import { setTimeout as pause } from 'node:timers/promises';
import { StreamProcess } from '../shared/stream-process.ts';
import { forEachOf, LightSocket } from '../shared/stream-sockets.ts';
import { FrameCounter } from './frame-counter.ts';

const CONNECTIONS_PER_ACCOUNT = 5;
const TRADES_PER_SECOND = 1_000;
const SECONDS = 8;
/** Edges are 20 ms apart. */
const FLUSHES_PER_SECOND = 50;
const POLL_MS = 5;
/** For messages still under way when the last trade is on disk. */
const REST_MS = 1_500;

export interface WholeService {
  readonly tradesPerSecond: number;
  readonly messagesPerFlush: number;
  /** Delivered to all connections together. */
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly mainCpuMicroseconds: number;
  readonly deliveredShare: number;
}

/** Bars of one trade each: every trade is one message to every connection. */
export async function wholeService(connections: number): Promise<WholeService> {
  await using process = await StreamProcess.start(connections / CONNECTIONS_PER_ACCOUNT);
  const counters: FrameCounter[] = [];
  const sockets: LightSocket[] = [];
  await forEachOf(connections, async (index) => {
    const counter = new FrameCounter();
    const key = process.keys[Math.floor(index / CONNECTIONS_PER_ACCOUNT)]!;
    const socket = await LightSocket.open({ port: process.port, key }, counter.take);
    const params = { bar: 'tick', size: 1 };
    const stream = { instrument: process.symbol, indicator: 'bars', params };
    socket.send({ t: 'subscribe', sub: 'a', ...stream });
    while (counter.snapshots === 0) await pause(POLL_MS);
    counters.push(counter);
    sockets.push(socket);
  });
  const before = await process.usage();
  const startMs = performance.now();
  const trades = await process.drive({ tradesPerSecond: TRADES_PER_SECOND, seconds: SECONDS });
  const seconds = (performance.now() - startMs) / 1_000;
  const after = await process.usage();
  await pause(REST_MS);
  const delivered = counters.reduce((sum, { upserts }) => sum + upserts, 0);
  for (const socket of sockets) socket.destroy();
  return {
    tradesPerSecond: TRADES_PER_SECOND,
    messagesPerFlush: TRADES_PER_SECOND / FLUSHES_PER_SECOND,
    perSecond: delivered / seconds,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1_000) / delivered,
    mainCpuMicroseconds: ((after.mainCpuMs - before.mainCpuMs) * 1_000) / delivered,
    deliveredShare: delivered / (trades * connections),
  };
}
