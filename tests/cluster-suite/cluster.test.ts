/**
 * A small cluster of real processes: NATS servers, PostgreSQL, two full nodes and one that joins
 * later. Customers hop between nodes that stop and start, and end with the history of every node.
 */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { WAIT_LIMIT_MS, within } from '../running-service.ts';
import { ClusterClient } from '../torture/cluster/cluster-client.ts';
import { checkCustomers, checkReplicas, checkTapes } from '../torture/cluster/round-checks.ts';
import { pick } from '../torture/export-queries.ts';
import type { ResumeStream } from '../torture/followed.ts';
import { connectionsHold, keysHold, oneUseOfToken, revocationHeard } from './account-checks.ts';
import { leaderOf } from './cluster-leaders.ts';
import type { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { closeProbes, openProbes, streamsStayWithoutAccounts } from './probes.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const CUSTOMERS = 12;
/** The reference history begins this long before the first customer. */
const BEFORE_NS = 60_000_000_000n;
/** The log line of a node that starts to append. */
const APPENDS = /this node appends to the tape of its cluster from now on/;
const SECOND_NS = 1_000_000_000n;
const STREAMS: readonly ResumeStream[] = [
  { indicator: 'bars', params: { bar: 'tick', size: 1 }, mode: 'live' },
  { indicator: 'footprint', params: { bar: 'tick', size: 5 }, mode: 'live' },
  { indicator: 'delta', params: {}, mode: 'confirmed' },
].map((stream) => ({ ...stream, instrument: 'BTC.c.0', isBusy: true }) as ResumeStream);

suite('a cluster', { skip: natsServerMissing }, () => {
  const random = seededRandom(1);
  const clients: ClusterClient[] = [];
  let rig: ClusterRig;
  let from = 0n;
  const keys = { reader: '', probe: '', manager: '', limits: '', tokens: '', keyMaker: '' };

  before(async () => {
    rig = await ClusterRig.make({ nodes: { first: 'ingest,serve', second: 'ingest,serve' } });
    await rig.startNodes();
    const names = Object.keys(keys) as (keyof typeof keys)[];
    const customers = Array.from({ length: CUSTOMERS }, (_, index) => `customer-${index}`);
    const all = await makeSharedAccounts(rig.database, [...names, ...customers]);
    for (const [index, name] of names.entries()) keys[name] = all[index]!;
    const now = BigInt(Date.now()) * 1_000_000n;
    from = now - (now % SECOND_NS) - BEFORE_NS;
    for (const [index, key] of all.slice(names.length).entries()) {
      const streams = [STREAMS[index % STREAMS.length]!];
      const door = () => pick(random, rig.serving);
      clients.push(new ClusterClient({ key, door, streams, random: seededRandom(index) }));
    }
  });

  after(async () => {
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    await rig?.[Symbol.asyncDispose]();
  });

  test('when the node that appends is killed another goes on, and no customer misses anything', async () => {
    const leader = await leaderOf(rig);
    const other = rig.sequencers.find((node) => node !== leader)!;
    const next = other.service.logs(APPENDS);
    await leader.kill();
    await within(WAIT_LIMIT_MS, 'the next to append', next);
    assert.equal(await other.tapeState(), 'leading');
    await leader.start();
    await agreed();
    await leaderOf(rig);
  });

  test('the node that appends, when it is stopped, sends its customers to the others first, and hands over', async () => {
    const leader = await leaderOf(rig);
    const other = rig.sequencers.find((node) => node !== leader)!;
    const [probe] = await openProbes([leader], keys.probe);
    const next = other.service.logs(APPENDS);
    await stopsCleanly(leader);
    assert.ok(
      probe!.subscriber.messages.some(({ t, kind }) => t === 'notice' && kind === 'reconnect'),
    );
    await within(WAIT_LIMIT_MS, 'the next to append', next);
    assert.equal(await other.tapeState(), 'leading');
    await leader.start();
    await agreed();
  });

  test('limits hold over all nodes, and a revoked key is closed on all', async (t) => {
    await oneUseOfToken(rig.serving, keys.tokens);
    await connectionsHold(rig.serving, keys.limits);
    await keysHold(rig.serving, keys.keyMaker);
    const ms = await revocationHeard(rig.serving, keys.manager);
    t.diagnostic(`a revocation was heard after ${ms.toFixed(0)} ms`);
  });

  test('while PostgreSQL is away streams go on and others are asked to come back, then all is well', async () => {
    const probes = await openProbes(rig.serving, keys.probe);
    await rig.postgres.stop();
    await streamsStayWithoutAccounts(probes, keys.probe);
    await rig.postgres.start();
    await Promise.all(rig.serving.map((node) => node.ready()));
    await closeProbes(probes);
  });

  test('a node joins with an empty directory, and all give the same stream, history, export and sessions', async () => {
    const node = await rig.addNode('third', 'serve');
    await node.start();
    await agreed();
    await sessionsAgree(rig.serving, keys.reader);
    assert.doesNotMatch(node.service.output, /making past days/);
  });

  test('all nodes at once, with nobody to hand over to, stop cleanly', async () => {
    await Promise.all(rig.serving.map(stopsCleanly));
  });

  /** Customers have the history that all nodes report, and all replicas and tapes agree. */
  async function agreed(): Promise<void> {
    const problems = await checkCustomers(rig, clients, { key: keys.reader, from }).catch(
      (error: Error) => [String(error.stack), String(error.cause)],
    );
    const said = rig.serving.map(({ name, service }) => `${name}: ${service.errors}`);
    assert.deepEqual(problems, [], said.join('\n'));
    await checkReplicas(rig);
    await checkTapes(rig);
  }
});

/** Past and future sessions, with one tag on all nodes. */
async function sessionsAgree(nodes: readonly ClusterNode[], key: string): Promise<void> {
  const [today] = new Date().toISOString().split('T');
  const path = `/v1/sessions?instrument=ES.c.0&from=${today}`;
  const answers = await Promise.all(
    nodes.map(async (node) => {
      const answer = await node.get(path, key);
      assert.equal(answer.status, 200);
      return { etag: answer.headers.get('etag'), text: await answer.text() };
    }),
  );
  const [first] = answers as [(typeof answers)[number]];
  assert.ok((JSON.parse(first.text) as { sessions: unknown[] }).sessions.length > 5);
  for (const answer of answers) assert.deepEqual(answer, first);
}

async function stopsCleanly(node: ClusterNode): Promise<void> {
  const { service } = node;
  assert.equal(await node.stop(), 0, `${node.name}: ${service.output}${service.errors}`);
}
