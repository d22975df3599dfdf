/** How long clients wait for a trade after a kill of the appending node or the stream's leader. */

import { setTimeout as pause } from 'node:timers/promises';
import { leaderOf, streamLeaderOf } from '../../tests/cluster-suite/cluster-leaders.ts';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import { type RunClusterPart, verdict } from './part.ts';
import { UpdateReader } from './update-reader.ts';

const SEQUENCER_MS_MAX = 5_000;
const STREAM_LEADER_MS_MAX = 10_000;
const CALM_MS = 4_000;
const WATCHED_MS = 14_000;
const MARKET = { TAPELOOM_SIM_SCALE: '10', TAPELOOM_SIM_DAYS: '0' };

export const lossPart: RunClusterPart = async () => {
  const nodes = { 'sequencer-1': 'ingest', 'sequencer-2': 'ingest', follower: 'serve' } as const;
  await using rig = await ClusterRig.make({ nodes, env: MARKET });
  await rig.startNodes();
  const [key] = await makeSharedAccounts(rig.database, ['reader']);
  using reader = await UpdateReader.open(rig.node('follower'), key!);
  await pause(CALM_MS);
  const calmMs = longestGap(reader);
  const leader = await leaderOf(rig);
  const sequencerMs = await gapAfter(reader, () => leader.kill());
  await leader.start();
  await pause(CALM_MS);
  const server = await streamLeaderOf(rig);
  const streamMs = await gapAfter(reader, () => rig.nats.kill(server));
  const row = (what: string, ms: number, max: number) =>
    [what, '', (ms / 1_000).toFixed(1), verdict(ms <= max, `at most ${max / 1_000} s`)] as const;
  return {
    rows: [
      row('sequencer killed: next trade, s', sequencerMs, SEQUENCER_MS_MAX),
      row("stream's leader killed: next trade, s", streamMs, STREAM_LEADER_MS_MAX),
    ],
    notes: [
      `Losses: the longest time without an update at a client of a node that follows; undisturbed it is ${(calmMs / 1_000).toFixed(1)} s.`,
    ],
    json: { losses: { calmMs, sequencerKilledMs: sequencerMs, streamLeaderKilledMs: streamMs } },
  };
};

async function gapAfter(reader: UpdateReader, lose: () => Promise<void>): Promise<number> {
  reader.updates.splice(0, reader.updates.length - 1);
  await lose();
  await pause(WATCHED_MS);
  return longestGap(reader);
}

function longestGap({ updates }: UpdateReader): number {
  const times = [
    ...updates.map(({ receivedMs }) => receivedMs),
    performance.timeOrigin + performance.now(),
  ];
  return Math.max(...times.slice(1).map((time, index) => time - times[index]!));
}
