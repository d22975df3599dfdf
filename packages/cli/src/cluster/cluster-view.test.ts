import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '@tapeloom/server/operations/cluster/cluster-facts';
import type {
  ClusterStatus,
  DatasetStatus,
} from '@tapeloom/server/operations/cluster/cluster-status';
import { clusterText } from './cluster-view.ts';

function node(name: string, changed: Partial<NodeStatus>): NodeStatus {
  return {
    id: `node_${name}`,
    name,
    roles: ['ingest', 'serve'],
    program: '1.0.0',
    isAlive: true,
    drains: false,
    heardMsAgo: 300,
    tape: {
      role: 'leading',
      sequence: 100,
      end: 100,
      leader: 'node_a.7',
      silentMs: 0,
      takeovers: 0,
      fenced: 0,
      unknowns: 0,
      daysToCome: 0,
      daysAt: 0,
    },
    lagMs: 20,
    connections: 0,
    notReady: null,
    internalUrl: null,
    behind: 0,
    offsetMs: 0,
    ...changed,
  };
}

function status(changed: Partial<ClusterStatus>): ClusterStatus {
  const { nodes = [], stream = null, appends = null } = changed;
  const first: DatasetStatus = {
    ...{ dataset: 'SIM', appends, watermark: null, lagMs: null, stream, objects: null },
    nodes,
  };
  return {
    id: 'cluster_1',
    dataset: 'SIM',
    nodes: [],
    servers: [],
    isSyncAssured: false,
    stream: null,
    objects: null,
    mixedIndicators: [],
    appends: null,
    datasets: [first],
    concerns: [],
    ...changed,
  };
}

test('a node that is no longer heard of is silent, whatever it said last', () => {
  const nodes = [node('a', { heardMsAgo: 22_300 }), node('b', {}), node('c', { isAlive: false })];
  const text = clusterText(status({ nodes, appends: 'b' }));
  assert.match(text, /^a .* silent +SIM +- +100 .*22\.3 s$/m);
  assert.match(text, /^b .* ready +SIM +leading +100 /m);
  assert.match(text, /^c .* gone /m);
});

test('what a server lacks is shown, and stands out where it takes itself for whole', () => {
  const server = (name: string) => ({
    ...{ name, url: `nats://${name}:4222`, id: name, fault: null, version: '2.10.27' },
    ...{ payloadBytesMax: 4_194_304, isSyncAlways: true },
  });
  const whole = { isCurrent: true, isSilent: false, lag: 0, missing: 0 };
  const stream = {
    ...{ name: 'TAPE_SIM', clusterId: 'cluster_1', first: 1, last: 2_000, bytes: 1, bytesMax: 2 },
    ...{ replicas: 5, leader: 'nats-0', leaderMissing: 0, group: 'group' },
    followers: [
      { ...whole, name: 'nats-1' },
      { ...whole, name: 'nats-2', missing: 1_881 },
      { ...whole, name: 'nats-3', isCurrent: false, lag: 12, missing: 12 },
      { ...whole, name: 'nats-4', isSilent: true, missing: null },
    ],
  };
  const servers = [0, 1, 2, 3, 4].map((index) => server(`nats-${index}`));
  const text = clusterText(status({ servers, stream }));
  const roles = ['leads', 'current', 'LACKS 1,881', 'lacks 12', 'away'];
  for (const [index, role] of roles.entries()) {
    assert.match(text, new RegExp(`^nats-${index} .* ${role}$`, 'm'));
  }
  const short = { ...stream, leaderMissing: 40 };
  assert.match(clusterText(status({ servers, stream: short })), /^nats-0 .* leads, LACKS 40$/m);
});

test('each live dataset has its leader, watermark and lag, and each node its state on it', () => {
  const nodes = [node('a', {}), node('b', { tape: null })];
  const following = { ...nodes[0]!.tape!, role: 'following' as const, sequence: 7, lagMs: 60_000 };
  const feed = {
    ...{ dataset: 'FEED', appends: 'b', watermark: '1794830400000000000', lagMs: 60_000 },
    ...{ stream: null, objects: null },
    nodes: [{ ...nodes[0]!, tape: following }],
  };
  const { datasets } = status({ nodes, appends: 'a' });
  const text = clusterText(status({ nodes, datasets: [...datasets, feed] }));
  assert.match(text, /^SIM +a +- +-$/m);
  assert.match(text, /^FEED +b +2026-11-16T12:00:00\.000Z +60,000$/m);
  assert.match(text, /^a .* SIM +leading +100 .*\n +FEED +following +7 +0 +60,000$/m);
  assert.match(text, /^b .* SIM +- .*\n +FEED +- +- +- +20$/m);
});
