/**
 * PostgreSQL's machine dies below two nodes, and a standby replaces it at the same address:
 * read-only at first, then promoted, without the latest changes. Meanwhile callers get no wrong
 * response, and streams continue. Missing changes are as if they had never been.
 */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openPostgres } from '@tapeloom/server/platform/postgres/postgres';
import { PostgresStandby } from '../../packages/server/testing/platform/postgres-standby.ts';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { CuttingLine } from '../../simulation/network/cutting-line.ts';
import type { TestSubscriber } from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { answers, until } from './in-the-end.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

/** Calls per node while the standby is read-only. */
const CALLS = 20;

suite('a standby takes the place of PostgreSQL', { skip: natsServerMissing }, () => {
  const world = new AsyncDisposableStack();
  let rig: ClusterRig;
  let nodes: readonly ClusterNode[];
  const keys = { known: '', revoked: '', late: '' };
  let streams: readonly TestSubscriber[];
  let lateStream: TestSubscriber;
  /** Responses to callers while no server was writable. */
  const answered: { readonly status: number; readonly text: string }[] = [];

  before(async () => {
    rig = world.use(
      await ClusterRig.make({
        nodes: { first: 'ingest,serve', second: 'serve' },
        replicas: 1,
        nats: { count: 1 },
      }),
    );
    await rig.startNodes();
    nodes = [rig.node('first'), rig.node('second')];
    const standby = world.use(await PostgresStandby.of(rig.postgres));
    [keys.known, keys.revoked] = (await makeSharedAccounts(rig.database, ['known', 'revoked'])) as [
      string,
      string,
    ];
    streams = await Promise.all(nodes.map((node) => opened(node, keys.known)));
    await standby.caughtUp();
    await standby.cutOff();

    await using postgres = openPostgres({ url: rig.database, connectionsMax: 1 });
    const [cut] = await postgres.query<{ readonly at: bigint }>('select tapeloom_now() as at');

    // Changes that the standby never receives.
    [keys.late] = (await makeSharedAccounts(rig.database, ['late'])) as [string];
    lateStream = await opened(nodes[1]!, keys.late);
    const [revoked] = await postgres.query<{ readonly id: string }>(
      `select k.id from keys k join accounts a on a.id = k.account_id where a.name = 'revoked'`,
    );
    const ended = await rig.command('key', 'revoke', revoked!.id, '--yes');
    assert.equal(ended.code, 0, ended.stderr);
    for (const node of nodes) await answers(node, keys.revoked, 401);
    // They include a heartbeat of every node, which reveals the loss to it.
    await until(async () => {
      const nodesNow = 'select min(renewed_at) as beat from nodes';
      const [oldest] = await postgres.query<{ readonly beat: bigint }>(nodesNow);
      assert.ok(oldest!.beat > cut!.at);
    });

    await rig.postgres.kill();
    world.use(await CuttingLine.open(standby.server.port, rig.postgres.port));
    await call();
    await standby.promote();
  });
  after(async () => await world[Symbol.asyncDispose]());

  test('until it is written to, callers are asked to come again, and nothing else is wrong', () => {
    const unexpected = answered.filter(({ status }) => status !== 200 && status !== 503);
    assert.deepEqual(unexpected, []);
    assert.ok(answered.some(({ status }) => status === 503));
  });

  test('streams go on, and new ones are taken', async () => {
    for (const node of nodes) await answers(node, keys.known, 200);
    for (const stream of streams) {
      await stream.send({ t: 'ping' });
      await stream.first(({ t }) => t === 'pong');
    }
    const more = await Promise.all(nodes.map((node) => opened(node, keys.known)));
    for (const stream of more) await stream.close();
  });

  test('whom it does not know is sent away, and a key whose end it did not hear of is good again', async () => {
    assert.equal((await lateStream.closed).code, 4003);
    for (const node of nodes) {
      await answers(node, keys.late, 401);
      await answers(node, keys.revoked, 200);
    }
    // A node notices with its next heartbeat.
    await until(() => {
      for (const { service } of nodes) {
        const said = service.output + service.errors;
        assert.match(said, /the accounts' database is missing its latest changes/);
      }
    });
  });

  test('what is open and what is used is counted there from now on', async () => {
    await using postgres = openPostgres({ url: rig.database, connectionsMax: 1 });
    const right = [{ count: BigInt(streams.length) }];
    const held = `select count(*) as count from leases where kind = 'connection'`;
    await until(async () => assert.deepEqual(await postgres.query(held), right));
    const used = async () => {
      const [row] = await postgres.query<{ readonly requests: bigint }>(
        `select coalesce(sum(rest_requests), 0)::int8 as requests from month_usage u
          join accounts a on a.id = u.account_id where a.name = 'known'`,
      );
      return row!.requests;
    };
    const before = await used();
    for (const node of nodes) await answers(node, keys.known, 200);
    await until(async () => assert.ok((await used()) >= before + 2n));
    const [key] = await makeSharedAccounts(rig.database, ['after it']);
    for (const node of nodes) await answers(node, key!, 200);
  });

  /** Calls both nodes in parallel, so that all their connections meet the read-only server. */
  async function call(): Promise<void> {
    const since = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000);
    const to = new Date(since.getTime() + 3_600_000);
    const history = `/v1/history?instrument=BTC.c.0&indicator=bars&from=${since.toISOString()}&to=${to.toISOString()}`;
    const one = async (node: ClusterNode, index: number) => {
      const answer = await node.get(index % 2 === 0 ? history : '/v1/usage', keys.known);
      answered.push({ status: answer.status, text: await answer.text() });
    };
    await Promise.all(
      nodes.flatMap((node) => Array.from({ length: CALLS }, (_, index) => one(node, index))),
    );
  }
});

async function opened(node: ClusterNode, key: string): Promise<TestSubscriber> {
  const subscriber = node.connect(key);
  await subscriber.send({ t: 'subscribe', sub: 's', instrument: 'BTC.c.0', indicator: 'bars' });
  const { t, detail } = await subscriber.first(({ t }) => t === 'subscribed' || t === 'error');
  assert.equal(t, 'subscribed', String(detail));
  return subscriber;
}
