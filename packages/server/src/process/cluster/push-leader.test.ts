import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushLeader } from './push-leader.ts';

const url = 'http://10.0.0.12:9464';
const nodes = [
  { id: 'node_a', name: 'one', isAlive: true, report: { internalUrl: url } },
  { id: 'node_b', name: 'two', isAlive: true, report: { internalUrl: null } },
  { id: 'node_c', name: 'three', isAlive: false, report: { internalUrl: url } },
  // Of version 1.0.
  { id: 'node_d', name: 'four', isAlive: true, report: {} },
  { id: 'node_e', name: 'five', isAlive: true, report: { internalUrl: url } },
];
const following = (leader: string | null) => ({ role: 'following' as const, leader });

test('the node that leads takes trades itself', () => {
  assert.deepEqual(pushLeader({ role: 'leading', leader: 'node_e.4' }, nodes, 'node_e'), {
    t: 'here',
  });
});

test('another node is named by the address that it reports', () => {
  assert.deepEqual(pushLeader(following('node_a.7'), nodes, 'node_e'), { t: 'elsewhere', url });
});

test('a node without an address is named, for the operator', () => {
  for (const [writer, node] of [
    ['node_b.7', 'two'],
    ['node_d.7', 'four'],
  ] as const) {
    assert.deepEqual(pushLeader(following(writer), nodes, 'node_e'), { t: 'unaddressed', node });
  }
});

test('nobody leads while the last leader is gone, unknown, this node, or not read yet', () => {
  for (const writer of ['node_c.7', 'migrate.3', 'node_e.9', null]) {
    assert.deepEqual(
      pushLeader(following(writer), nodes, 'node_e'),
      { t: 'nobody' },
      String(writer),
    );
  }
  assert.deepEqual(pushLeader(undefined, nodes, 'node_e'), { t: 'nobody' });
});
