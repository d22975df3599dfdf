/** The latency from a trade to the client's message: a standalone service and a following node. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeAccounts } from '../../tests/account-maker.ts';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import { RunningService } from '../../tests/running-service.ts';
import { percentile } from '../shared/machine-load.ts';
import { type RunClusterPart, verdict } from './part.ts';
import { UpdateReader } from './update-reader.ts';

const SECONDS = 15;
const WARM_UP_SECONDS = 5;
const MORE_MS_MAX = 5;
const MARKET = { TAPELOOM_SIM_SCALE: '10', TAPELOOM_SIM_DAYS: '0' };

interface Latencies {
  readonly messages: number;
  readonly p50: number;
  readonly p99: number;
}

export const latencyPart: RunClusterPart = async () => {
  const alone = await embedded();
  const shared = await follower();
  const moreMs = shared.p50 - alone.p50;
  const isMet = moreMs <= MORE_MS_MAX;
  const row = (name: 'p50' | 'p99', target: string) =>
    [
      `trade to client, ${name}, ms`,
      alone[name].toFixed(1),
      shared[name].toFixed(1),
      target,
    ] as const;
  return {
    rows: [row('p50', verdict(isMet, `at most +${MORE_MS_MAX} ms`)), row('p99', '')],
    notes: [
      `Trade to client: by the trade's own time, every trade an update; ${alone.messages} and ${shared.messages} messages. ` +
        'The cluster: three replicas that sync each append, the client at a node that only follows.',
    ],
    json: { latency: { embedded: alone, cluster: shared, moreMsP50: moreMs } },
  };
};

async function embedded(): Promise<Latencies> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const data = join(directory, 'data');
  const service = new RunningService({ data, env: MARKET });
  try {
    await service.ready();
    const [key] = await makeAccounts(data, ['reader']);
    const { port } = new URL(service.address('REST'));
    return await measured({ host: '127.0.0.1', port: Number(port) }, key!);
  } finally {
    await service.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function follower(): Promise<Latencies> {
  const nodes = { sequencer: 'ingest', follower: 'serve' } as const;
  await using rig = await ClusterRig.make({ nodes, env: MARKET });
  await rig.startNodes();
  const [key] = await makeSharedAccounts(rig.database, ['reader']);
  return await measured(rig.node('follower'), key!);
}

async function measured(
  door: { readonly host: string; readonly port: number },
  key: string,
): Promise<Latencies> {
  using reader = await UpdateReader.open(door, key);
  await pause(WARM_UP_SECONDS * 1_000);
  reader.updates.length = 0;
  await pause(SECONDS * 1_000);
  const ms = Float64Array.from(reader.updates, (it) => it.receivedMs - it.tradedMs).sort();
  return { messages: ms.length, p50: percentile(ms, 0.5), p99: percentile(ms, 0.99) };
}
