import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import type { KeptState } from '../../tape/stream/nats/nats-admin.ts';
import { clusterConcerns } from './cluster-concerns.ts';
import type { ClusterFacts, NodeStatus } from './cluster-facts.ts';
import { mixedIndicators } from './cluster-status.ts';
import { readNodeReport } from './node-report.ts';

const following: SharedTapeReport = {
  role: 'following',
  sequence: 100,
  end: 100,
  leader: 'node_a.7',
  silentMs: 0,
  takeovers: 0,
  fenced: 0,
  unknowns: 0,
  daysToCome: 0,
  daysAt: 0,
};

function node(name: string, changed: Partial<NodeStatus> = {}): NodeStatus {
  return {
    id: `node_${name}`,
    name,
    roles: ['ingest', 'serve'],
    program: '1.0.0',
    isAlive: true,
    drains: false,
    heardMsAgo: 300,
    tape: following,
    lagMs: 20,
    connections: 3,
    notReady: null,
    internalUrl: null,
    behind: 0,
    offsetMs: 0,
    ...changed,
  };
}

function kept(name: string, changed: Partial<KeptState> = {}): KeptState {
  const follower = { isCurrent: true, isSilent: false, lag: 0, missing: 0 };
  return {
    name,
    clusterId: 'cluster_1',
    first: 1,
    last: 100,
    bytes: 10,
    bytesMax: 100,
    replicas: 3,
    leader: 'server-0',
    leaderMissing: 0,
    followers: [
      { ...follower, name: 'server-1' },
      { ...follower, name: 'server-2' },
    ],
    group: 'S-R3F-abc',
    ...changed,
  };
}

function facts(changed: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    id: 'cluster_1',
    dataset: 'SIM',
    nodes: [node('a', { tape: { ...following, role: 'leading' } }), node('b')],
    servers: [],
    isSyncAssured: false,
    stream: kept('TAPE_SIM'),
    objects: kept('OBJ_TAPE_SIM'),
    mixedIndicators: [],
    ...changed,
  };
}

test('a cluster that is as it should be gives no concern', () => {
  assert.deepEqual(clusterConcerns(facts()), []);
});

test('what of the stream is under-replicated, foreign, full or assured is said', () => {
  const offline = { name: 'server-1', isCurrent: false, isSilent: true, lag: 9, missing: null };
  const behind = { name: 'server-2', isCurrent: false, isSilent: false, lag: 9, missing: 9 };
  const stream = kept('TAPE_SIM', { followers: [offline, behind], clusterId: 'x', bytes: 90 });
  assert.deepEqual(clusterConcerns(facts({ stream, isSyncAssured: true })), [
    'TAPE_SIM belongs to x, but PostgreSQL to cluster_1',
    'TAPE_SIM is under-replicated: server-1 is away',
    'TAPE_SIM is under-replicated: server-2 is missing 9 operations',
    'TAPE_SIM is 90 % full',
    'the syncing of NATS is not checked, because TAPELOOM_NATS_SYNC is assured',
  ]);
  const [lost] = clusterConcerns(facts({ stream: null }));
  assert.match(lost!, /^NATS has no tape of SIM/);
});

test('a server that takes itself for whole and is not is named, with what it lacks', () => {
  const whole = { name: 'server-1', isCurrent: true, isSilent: false, lag: 0, missing: null };
  const short = { ...whole, name: 'server-2', missing: 1_881 };
  const stream = kept('TAPE_SIM', { followers: [whole, short] });
  assert.deepEqual(clusterConcerns(facts({ stream })), [
    'TAPE_SIM is under-replicated: server-2 reports itself as complete but is missing 1881 messages. Refill it: stop it, remove what is below its store_dir, start it',
  ]);
});

test('a leader that lacks messages is to be filled anew, and nobody is sent to a repair', () => {
  const whole = { name: 'server-1', isCurrent: true, isSilent: false, lag: 0, missing: 0 };
  const nodes = [node('a', { tape: { ...following, role: 'shrunk' } })];
  const short = kept('TAPE_SIM', {
    leaderMissing: 40,
    followers: [whole, { ...whole, name: 'server-2' }],
  });
  assert.deepEqual(clusterConcerns(facts({ stream: short, nodes })), [
    'TAPE_SIM is led by server-0, which is missing 40 messages that server-1 and server-2 have, so no node can append. Refill server-0: stop it, remove what is below its store_dir, start it',
    'no node reports that it appends to SIM',
    'a knows of more records than the stream of SIM has: it resumes by itself when the servers of the stream are complete',
  ]);
});

test('where two servers lack messages, the whole one has to lead before they are filled', () => {
  const whole = { name: 'server-1', isCurrent: true, isSilent: false, lag: 0, missing: 0 };
  const second = { ...whole, name: 'server-2', missing: 7 };
  const both = kept('TAPE_SIM', { leaderMissing: 40, followers: [whole, second] });
  const [leads, missing] = clusterConcerns(facts({ stream: both }));
  assert.equal(
    leads,
    'TAPE_SIM is led by server-0, which is missing 40 messages that server-1 has, so no node can append. First make server-1 the leader: run "nats stream cluster step-down TAPE_SIM" until this status shows it. Then refill server-0: stop it, remove what is below its store_dir, start it',
  );
  assert.equal(
    missing,
    'TAPE_SIM is under-replicated: server-2 reports itself as complete but is missing 7 messages. Refill it, after server-0: stop it, remove what is below its store_dir, start it',
  );
  const followers = [{ ...whole, missing: 9 }, second];
  const [first, then] = clusterConcerns(facts({ stream: kept('TAPE_SIM', { followers }) }));
  assert.match(
    first!,
    /server-1 reports itself as complete but is missing 9 messages\. Refill it: stop/,
  );
  assert.match(then!, /server-2 .* is missing 7 messages\. Refill it, after server-1: stop/);
});

test('nodes that are silent, behind, draining, wrong in time or of two versions are named', () => {
  const nodes = [
    node('a', { heardMsAgo: 12_000 }),
    node('b', { behind: 5_000, drains: true, offsetMs: 700, program: '1.1.0' }),
    node('c', { lagMs: 9_000, notReady: 'the tape is being filled' }),
    node('d', { tape: { ...following, role: 'shrunk' } }),
    node('e', { isAlive: false, notReady: 'x' }),
  ];
  assert.deepEqual(clusterConcerns(facts({ nodes, mixedIndicators: ['footprint'] })), [
    'no node reports that it appends to SIM',
    'a sent no heartbeat for 12 s',
    'b is being drained',
    'b is 5,000 messages of SIM behind',
    "the clock of b is 700 ms behind PostgreSQL's",
    'SIM on c is 9 s behind the clock',
    'c is not ready: the tape is being filled',
    'd knows of more records than the stream of SIM has: no node appends until you run tapeloom cluster repair',
    'nodes run 1.0.0 and 1.1.0',
    'nodes have different versions of footprint: their streams start again',
  ]);
});

test('indicators are mixed by what nodes alive have, and by nobody else', () => {
  const with_ = (footprint: string, isAlive = true) => ({ isAlive, computations: { footprint } });
  assert.deepEqual(mixedIndicators([with_('1'), with_('1'), with_('2', false)]), []);
  assert.deepEqual(mixedIndicators([with_('1'), with_('2')]), ['footprint']);
});

test('what a node of another version says is read as far as it is known', () => {
  assert.deepEqual(readNodeReport({ tapes: { SIM: { role: 'dreaming' } }, lagMs: 'x' }), {
    tapes: {},
    lagMs: null,
    connections: 0,
    notReady: null,
    internalUrl: null,
    offsetMs: 0,
  });
});

test('days that a node could not read are named', () => {
  const daysDamaged = [{ symbol: 'ESZ6', day: utcDay(20261117) }];
  const nodes = [
    node('a', { tape: { ...following, role: 'leading' } }),
    node('b', { tape: { ...following, daysDamaged } }),
  ];
  assert.deepEqual(clusterConcerns(facts({ nodes })), [
    'sealed days of b are damaged or missing, and are fetched again: ESZ6 20261117',
  ]);
});
