/**
 * Lines are slow: frames arrive late. Streams continue with a delay, and the sequencer keeps
 * appending. Only when its line is too slow for the others' timeouts does another node take over.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { leaderOf, streamLeaderOf } from '../../../cluster-suite/cluster-leaders.ts';
import { closeProbes, goesOn, openProbes } from '../../../cluster-suite/probes.ts';
import { pick } from '../../export-queries.ts';
import type { ClusterStage } from '../cluster-stage.ts';
import type { Line } from '../machines.ts';
import { ALL_NATS, type Fault, SLEEP_MS } from './fault.ts';

/** One way, plus up to half; two NATS servers have two such lines. Slower: decision 0099. */
const SLOW_MS = [20, 50, 100];
/** Close to the timeout of a connection: no pong for two seconds. */
const VERY_SLOW_MS = 700;
const SEEDS = 1_000_000;

export const SLOW_FAULTS: readonly Fault[] = [
  {
    name: 'lines to NATS are slow',
    needsLines: true,
    run: async (stage) => await slow(stage, stage.natsLines(ALL_NATS, 'tape')),
  },
  {
    name: 'lines between NATS servers are slow',
    needsLines: true,
    run: async (stage) => await slow(stage, stage.natsLines(ALL_NATS, 'peers')),
  },
  {
    name: 'lines to PostgreSQL are slow',
    needsLines: true,
    run: async (stage) =>
      await slow(stage, stage.nodeLines([...stage.rig.nodes.values()], 'store')),
  },
  {
    name: 'all lines are slow, and another takes over',
    needsLines: true,
    run: async (stage) => await slow(stage, allLines(stage), takeover),
  },
  {
    name: "the sequencer's line to NATS is very slow",
    needsLines: true,
    run: async (stage) => {
      const lines = stage.nodeLines([await leaderOf(stage.rig)], 'tape');
      await verySlow(stage, lines);
    },
  },
  {
    name: "the lines of the stream's leader are very slow",
    needsLines: true,
    run: async (stage) => {
      const leader = [await streamLeaderOf(stage.rig)];
      const lines = [...stage.natsLines(leader, 'peers'), ...stage.natsLines(leader, 'tape')];
      await verySlow(stage, lines);
    },
  },
];

function allLines(stage: ClusterStage): readonly Line[] {
  return [
    ...stage.natsLines(ALL_NATS, 'tape'),
    ...stage.natsLines(ALL_NATS, 'peers'),
    ...stage.nodeLines([...stage.rig.nodes.values()], 'store'),
  ];
}

/** Every node continues its streams and accepts new ones. */
async function slow(
  stage: ClusterStage,
  lines: readonly Line[],
  meanwhile: (stage: ClusterStage) => Promise<void> = async () => await pause(SLEEP_MS),
): Promise<void> {
  const { random, rig, probeKey } = stage;
  const probes = await openProbes(rig.serving, probeKey);
  const ms = pick(random, SLOW_MS);
  console.log(`  ${ms} ms one way`);
  await stage.makeSlow(lines, { ms, seed: Math.floor(random() * SEEDS) });
  await meanwhile(stage);
  await goesOn(probes);
  await closeProbes(probes);
  await closeProbes(await openProbes(rig.serving, probeKey));
  await stage.makeFast();
}

async function takeover({ rig }: ClusterStage): Promise<void> {
  const leader = await leaderOf(rig);
  await leader.kill();
  await leaderOf(rig);
  await leader.start();
}

/** A node still appends, this one or another. */
async function verySlow(stage: ClusterStage, lines: readonly Line[]): Promise<void> {
  const { random, rig, probeKey } = stage;
  const probes = await openProbes(rig.serving, probeKey);
  await stage.makeSlow(lines, { ms: VERY_SLOW_MS, seed: Math.floor(random() * SEEDS) });
  await pause(SLEEP_MS);
  await goesOn(probes);
  await stage.makeFast();
  await closeProbes(probes);
}
