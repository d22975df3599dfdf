/**
 * 10,000 idle clients, or as many as the machine allows, connected to the real service: the memory
 * of each, beside a bare `ws` server with as many sockets, and the time until all are back after a
 * restart.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionLimits } from '@tapeloom/server/operations/start/connection-limits';
import { openFilesMax } from '@tapeloom/server/platform/open-files';
import { freePort } from '../../packages/server/testing/platform/free-ports.ts';
import { makeAccounts } from '../../tests/account-maker.ts';
import { RunningService } from '../../tests/running-service.ts';
import { loadAverage } from '../shared/machine-load.ts';
import { residentBytes } from '../shared/process-holdings.ts';
import type { Bench, BenchReport } from '../shared/report.ts';
import { forEachOf } from '../shared/stream-sockets.ts';
import { IdleClient } from './idle-clients.ts';

/**
 * When the limit on open files leaves the service fewer slots: that number, rounded down to
 * thousands.
 */
const CONNECTIONS = Math.min(10_000, Math.floor(streamPlaces() / 1_000) * 1_000);
const CONNECTIONS_PER_ACCOUNT = 5;
/** Leaves each address some 40 clients, fewer than its limit of unauthenticated connections. */
const ADDRESSES = 250;
const OPENING_AT_ONCE = 200;
/** Opened and closed before memory is first measured, so that one-time allocations are made. */
const WARM_UP_CONNECTIONS = 500;
const SETTLE_MS = 15_000;
const PING_MS = 12_000;
const POLL_MS = 50;
const BYTES_MAX = 12 * 1_024;
const BACK_WITHIN_S = 30;
const GIVE_UP_S = 120;

interface Standing {
  readonly beforeBytes: number;
  readonly afterBytes: number;
  readonly openedS: number;
  /** The open connections after `SETTLE_MS`. */
  readonly count: number;
}

/** Seconds since the stop signal. */
interface Restart {
  readonly stoppedS: number;
  readonly readyS: number;
  readonly backS: number;
  readonly back: number;
}

export const run: Bench = async () => {
  const loadBefore = loadAverage();
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-idle-'));
  const bareBytes = await bareServerBytes();
  const crowd = new IdleCrowd(join(directory, 'data'), await freePort());
  try {
    const standing = await crowd.stand();
    const restart = await crowd.restart();
    return report(standing, restart, bareBytes, crowd.refusals, [loadBefore, loadAverage()]);
  } finally {
    await crowd.end();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** The service and all its clients. */
class IdleCrowd {
  /** Failed attempts to connect, by error. */
  readonly refusals = new Map<string, number>();
  readonly #data: string;
  readonly #port: number;
  readonly #clients: IdleClient[] = [];
  readonly #pinging = setInterval(() => {
    for (const client of this.#clients) client.ping();
  }, PING_MS);
  #service: RunningService;

  constructor(data: string, port: number) {
    this.#data = data;
    this.#port = port;
    this.#service = start(data, port);
  }

  async stand(): Promise<Standing> {
    await this.#service.ready();
    const names = Array.from(
      { length: CONNECTIONS / CONNECTIONS_PER_ACCOUNT },
      (_, index) => `idle-${index}`,
    );
    const keys = await makeAccounts(this.#data, names);
    // The first start builds past days. Its garbage would hide the memory of connections.
    await this.#service.stop('SIGTERM');
    this.#service = start(this.#data, this.#port);
    await this.#service.ready();
    await openAndClose(this.#port, keys);
    const beforeBytes = residentBytes(this.#service.pid);
    const startMs = performance.now();
    const open = async (index: number) => {
      const client = new IdleClient(optionsOf(this.#port, keys, index), this.refusals);
      this.#clients.push(client);
      await client.open();
    };
    await forEachOf(CONNECTIONS, open, OPENING_AT_ONCE);
    const openedS = (performance.now() - startMs) / 1_000;
    await pause(SETTLE_MS);
    const afterBytes = residentBytes(this.#service.pid);
    return { beforeBytes, afterBytes, openedS, count: this.#openCount };
  }

  async restart(): Promise<Restart> {
    this.refusals.clear();
    const startMs = performance.now();
    const seconds = () => (performance.now() - startMs) / 1_000;
    await this.#service.stop('SIGTERM');
    const stoppedS = seconds();
    this.#service = start(this.#data, this.#port);
    await this.#service.ready();
    const readyS = seconds();
    while (this.#openCount < CONNECTIONS && seconds() < GIVE_UP_S) await pause(POLL_MS);
    return { stoppedS, readyS, backS: seconds(), back: this.#openCount };
  }

  async end(): Promise<void> {
    clearInterval(this.#pinging);
    for (const client of this.#clients) client.end();
    await this.#service.stop('SIGKILL');
  }

  get #openCount(): number {
    return this.#clients.filter(({ isOpen }) => isOpen).length;
  }
}

function report(
  { beforeBytes, afterBytes, openedS, count }: Standing,
  { stoppedS, readyS, backS, back }: Restart,
  bareBytes: number,
  refusals: ReadonlyMap<string, number>,
  loads: readonly [number, number],
): BenchReport {
  const bytes = (afterBytes - beforeBytes) / CONNECTIONS;
  const isSmall = bytes <= BYTES_MAX;
  const isBack = back === CONNECTIONS && backS <= BACK_WITHIN_S;
  const kib = (value: number) => `${(value / 1_024).toFixed(1)} KiB`;
  const mib = (value: number) => `${(value / 1_048_576).toFixed(0)} MiB`;
  return {
    title: `${CONNECTIONS.toLocaleString('en')} idle connections`,
    columns: ['what', 'service', 'bare ws server'],
    rows: [
      ['memory a connection', kib(bytes), kib(bareBytes)],
      ['memory of the process before, after', `${mib(beforeBytes)}, ${mib(afterBytes)}`, ''],
      ['opened in', `${openedS.toFixed(1)} s`, ''],
      ['standing after a while', count, ''],
      ['restart: stopped after', `${stoppedS.toFixed(1)} s`, ''],
      ['restart: ready after', `${readyS.toFixed(1)} s`, ''],
      ['restart: all back after', `${backS.toFixed(1)} s`, ''],
    ],
    notes: [
      `Resident memory of the process, ${SETTLE_MS / 1_000} s after the last was opened, over what it was after ${WARM_UP_CONNECTIONS} had come and ` +
        `gone; the whole process with all of them, its start included, takes ${kib(afterBytes / CONNECTIONS)} for each.`,
      `${CONNECTIONS / CONNECTIONS_PER_ACCOUNT} accounts, ${ADDRESSES} addresses, an hb every 5 s, a ping every ${PING_MS / 1_000} s.`,
      `Attempts to come back that came to nothing: ${JSON.stringify(Object.fromEntries(refusals))}.`,
      `Target: at most ${kib(BYTES_MAX)} a connection: ${isSmall ? 'met' : 'missed'} (${kib(bytes)}).`,
      `Target: all back within ${BACK_WITHIN_S} s of the restart: ${isBack ? 'met' : 'missed'} ` +
        `(${back.toLocaleString('en')} after ${backS.toFixed(1)} s from the signal).`,
      `Load average ${loads[0]} before, ${loads[1]} after.`,
    ],
    json: {
      connections: CONNECTIONS,
      bytesEach: Math.round(bytes),
      bareBytesEach: Math.round(bareBytes),
      beforeBytes,
      afterBytes,
      openedS,
      standing: count,
      stoppedS,
      readyS,
      backS,
      back,
      refusals: Object.fromEntries(refusals),
      loadAverage: loads,
    },
  };
}

function streamPlaces(): number {
  return connectionLimits({ openFiles: openFilesMax(), cores: availableParallelism() }).streams;
}

function start(data: string, port: number): RunningService {
  const env = { TAPELOOM_PORT: String(port), TAPELOOM_LOG_LEVEL: 'error' };
  return new RunningService({ data, env });
}

function optionsOf(port: number, keys: readonly string[], index: number) {
  const account = Math.floor(index / CONNECTIONS_PER_ACCOUNT);
  return { port, key: keys[account]!, localAddress: `127.0.1.${1 + (index % ADDRESSES)}` };
}

async function openAndClose(port: number, keys: readonly string[]): Promise<void> {
  const clients: IdleClient[] = [];
  await forEachOf(WARM_UP_CONNECTIONS, async (index) => {
    const client = new IdleClient(optionsOf(port, keys, index), new Map());
    clients.push(client);
    await client.open();
  });
  for (const client of clients) client.end();
  await pause(2_000);
}

/** The memory of a socket in a process that has only the library. */
async function bareServerBytes(): Promise<number> {
  const child = fork(new URL('./idle-bare-server.ts', import.meta.url));
  const clients: IdleClient[] = [];
  try {
    const [port] = (await once(child, 'message')) as [number];
    await openAndClose(
      port,
      Array.from({ length: WARM_UP_CONNECTIONS }, () => 'x'),
    );
    const before = residentBytes(child.pid!);
    await forEachOf(CONNECTIONS, async (index) => {
      const client = new IdleClient(
        { port, key: 'x', localAddress: `127.0.1.${1 + (index % ADDRESSES)}` },
        new Map(),
      );
      clients.push(client);
      await client.open();
    });
    await pause(3_000);
    return (residentBytes(child.pid!) - before) / CONNECTIONS;
  } finally {
    for (const client of clients) client.end();
    child.disconnect();
    await once(child, 'exit');
  }
}
