/** Restarts, kills and suspends PostgreSQL. */

import { setTimeout as pause } from 'node:timers/promises';
import {
  closeProbes,
  openProbes,
  saysLive,
  streamsStayWithoutAccounts,
} from '../../../cluster-suite/probes.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import { type Fault, SLEEP_MS } from './fault.ts';

const AWAY_MS = 6_000;

export const POSTGRES_FAULTS: readonly Fault[] = [
  { name: 'PostgreSQL is restarted', run: async ({ rig }) => await rig.postgres.restart() },
  { name: 'PostgreSQL is killed', run: postgresKilled },
  { name: 'PostgreSQL is killed three times', run: postgresKilledAgain },
  { name: 'PostgreSQL sleeps', run: postgresAsleep },
];

async function postgresKilled(stage: ClusterStage): Promise<void> {
  const probes = await openProbes(stage.rig.serving, stage.probeKey);
  await stage.rig.postgres.kill();
  await streamsStayWithoutAccounts(probes, stage.probeKey);
  await pause(AWAY_MS);
  await stage.rig.postgres.start();
  await closeProbes(probes);
}

/** Nodes keep their streams and are ready seconds after PostgreSQL responds. */
async function postgresKilledAgain(stage: ClusterStage): Promise<void> {
  const probes = await openProbes(stage.rig.serving, stage.probeKey);
  for (let kill = 0; kill < 3; kill += 1) {
    await stage.rig.postgres.kill();
    await pause(2_000);
    await stage.rig.postgres.start();
    await pause(3_000);
  }
  await saysLive(probes);
  await closeProbes(probes);
}

async function postgresAsleep(stage: ClusterStage): Promise<void> {
  await stage.rig.postgres.pause();
  await pause(SLEEP_MS);
  await stage.rig.postgres.resume();
}
