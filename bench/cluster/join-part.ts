/**
 * A node with an empty directory joins in the middle of a busy day: the time until its first live
 * subscription has its snapshot. Beside it, the same program alone with an empty directory and
 * hardly any trades: the cost of any start.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { logPath } from '@tapeloom/server/tape/tape-paths';
import { makeAccounts } from '../../tests/account-maker.ts';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import { RunningService } from '../../tests/running-service.ts';
import { type BusyDay, putBusyDay } from './busy-day.ts';
import { type RunClusterPart, verdict } from './part.ts';
import { UpdateReader } from './update-reader.ts';

const SECONDS_MAX = 10;
const LOOK_MS = 50;
/** A commit every 20 ms, for half a day and for a whole one. */
const COMMITS = [2_200_000, 4_320_000] as const;
/** Gives a trade in nearly every 20 ms. */
const BUSY = { seed: 1, printsScale: 10 };
const MARKET = { TAPELOOM_SIM_SCALE: String(BUSY.printsScale), TAPELOOM_SIM_DAYS: '0' };
const ONE_MINUTE = {
  t: 'subscribe',
  sub: 's',
  instrument: 'BTC.c.0',
  indicator: 'bars',
  params: { bar: 'time', size: 60 },
} as const;

export const joinPart: RunClusterPart = async ({ commits }) => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  try {
    const aloneSeconds = await alone(join(directory, 'alone'));
    const joins: Join[] = [];
    for (const count of commits.length > 0 ? commits : COMMITS) joins.push(await joinDay(count));
    return {
      rows: joins.map(({ day, seconds }) => [
        `started with an empty directory, ${(day.records / 1e6).toFixed(1)} million commits, s`,
        aloneSeconds.toFixed(1),
        seconds.toFixed(1),
        verdict(seconds <= SECONDS_MAX, `at most ${SECONDS_MAX} s`),
      ]),
      notes: [
        'Start: until the first live subscription has its snapshot. Alone: a market with hardly any trades, so what any start takes.',
        ...joins.map(
          ({ day, readySeconds, logSeconds, againSeconds }) =>
            `An open day of ${day.records} commits, ${day.trades} trades, ${(day.bytes / 1_048_576).toFixed(0)} MiB of records, in parts of five minutes: ready after ${readySeconds.toFixed(1)} s, its log whole after ${logSeconds.toFixed(1)} s; started again, ${againSeconds.toFixed(1)} s.`,
        ),
      ],
      json: { join: { aloneSeconds, joins } },
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

interface Join {
  readonly day: BusyDay;
  readonly readySeconds: number;
  readonly seconds: number;
  /** From the start until its log has every record of the day. */
  readonly logSeconds: number;
  /** The same node, stopped and started again. */
  readonly againSeconds: number;
}

/** A cluster whose open day has `commits` commits, and a node that joins it. */
async function joinDay(commits: number): Promise<Join> {
  await using rig = await ClusterRig.make({ nodes: { sequencer: 'ingest' }, env: MARKET });
  const day = await putBusyDay(rig.nats.urls, BUSY, commits);
  await rig.node('sequencer').start();
  const [key] = await makeSharedAccounts(rig.database, ['reader']);
  const newcomer = await rig.addNode('newcomer', 'serve');
  const startMs = performance.now();
  await newcomer.start();
  const readySeconds = secondsSince(startMs);
  let seconds: number;
  {
    using _reader = await UpdateReader.open(newcomer, key!, ONE_MINUTE);
    seconds = secondsSince(startMs);
  }
  await logIsWhole(logPath(join(newcomer.setting.data, 'tape'), SIM_DATASET, day.day));
  const logSeconds = secondsSince(startMs);
  await newcomer.stop();
  const againMs = performance.now();
  await newcomer.start();
  using _reader = await UpdateReader.open(newcomer, key!, ONE_MINUTE);
  return { day, readySeconds, seconds, logSeconds, againSeconds: secondsSince(againMs) };
}

function secondsSince(ms: number): number {
  return (performance.now() - ms) / 1_000;
}

/** Waits for the first bytes, which the node writes last. */
async function logIsWhole(path: string): Promise<void> {
  const first = new Uint8Array(8);
  await using file = await open(path);
  while (first[0] === 0) {
    await setTimeout(LOOK_MS);
    await file.read(first, 0, first.length, 0);
  }
}

async function alone(data: string): Promise<number> {
  const env = { TAPELOOM_SIM_SCALE: '0.001', TAPELOOM_SIM_DAYS: '0' };
  const startMs = performance.now();
  const service = new RunningService({ data, env });
  try {
    await service.ready();
    const readyMs = performance.now() - startMs;
    const [key] = await makeAccounts(data, ['reader']);
    const port = Number(new URL(service.address('REST')).port);
    const askedMs = performance.now();
    using _reader = await UpdateReader.open({ host: '127.0.0.1', port }, key!, ONE_MINUTE);
    return (readyMs + performance.now() - askedMs) / 1_000;
  } finally {
    await service.stop('SIGKILL');
  }
}
