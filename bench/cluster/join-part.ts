/** A node with an empty directory joins while the market is open: until its first live subscription has its snapshot. */

import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import type { RunClusterPart } from './part.ts';
import { verdict } from './part.ts';
import { UpdateReader } from './update-reader.ts';

const SECONDS_MAX = 10;
/** A start makes the open day up to now at once, so this is how many trades there are to catch up with. */
const MARKET = { TAPELOOM_SIM_SCALE: '20', TAPELOOM_SIM_DAYS: '0' };

export const joinPart: RunClusterPart = async () => {
  await using rig = await ClusterRig.make({ nodes: { sequencer: 'ingest' }, env: MARKET });
  const sequencer = rig.node('sequencer');
  await sequencer.start();
  const [key] = await makeSharedAccounts(rig.database, ['reader']);
  const newcomer = await rig.addNode('newcomer', 'serve');
  const startMs = performance.now();
  await newcomer.start();
  const readyS = (performance.now() - startMs) / 1_000;
  using _reader = await UpdateReader.open(newcomer, key!);
  const seconds = (performance.now() - startMs) / 1_000;
  const bytes = await logBytes(sequencer.setting.data);
  const messages = await sequencer.metric('tapeloom_cluster_sequence');
  const mib = bytes / 1_048_576;
  return {
    rows: [
      [
        'joined with an empty directory, s',
        '',
        seconds.toFixed(1),
        verdict(seconds <= SECONDS_MAX, `at most ${SECONDS_MAX} s`),
      ],
    ],
    notes: [
      `Join: ready after ${readyS.toFixed(1)} s, then the first subscription; the open day so far is ${mib.toFixed(0)} MiB of log in a stream of ${messages} messages.`,
    ],
    json: { join: { seconds, readySeconds: readyS, logBytes: bytes, messages } },
  };
};

async function logBytes(data: string): Promise<number> {
  const folder = join(data, 'tape', SIM_DATASET, 'log');
  const names = await readdir(folder);
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
