import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '@tapeloom/server/process/cluster/cluster-status';
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
    behind: 0,
    offsetMs: 0,
    ...changed,
  };
}

test('a node that is no longer heard of is silent, whatever it said last', () => {
  const text = clusterText({
    id: 'cluster_1',
    dataset: 'SIM',
    nodes: [node('a', { heardMsAgo: 22_300 }), node('b', {}), node('c', { isAlive: false })],
    servers: [],
    isSyncAssured: false,
    stream: null,
    objects: null,
    mixedIndicators: [],
    appends: 'b',
    concerns: [],
  });
  assert.match(text, /^a .* silent +- +100 .*22\.3 s$/m);
  assert.match(text, /^b .* ready +leading +100 /m);
  assert.match(text, /^c .* gone /m);
});
