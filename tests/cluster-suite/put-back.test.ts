/**
 * PostgreSQL is restored from an older copy below two running nodes. Open streams are counted
 * correctly, export tokens stay valid, usage is charged, and orders follow the payment provider.
 * Every event here is before the copy, or between it and the loss.
 */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import { openPostgres, type Postgres } from '@tapeloom/server/platform/postgres/postgres';
import { PostgresCopy } from '../../packages/server/testing/platform/postgres-copy.ts';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import type { TestSubscriber } from '../running-service.ts';
import { ClusterBuyer } from './cluster-buyer.ts';
import type { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { answers, until } from './in-the-end.ts';
import { LocalStripe } from './local-stripe.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

const { maxConnections, maxCustomConfigs } = PLAN_LIMITS.live_history;

suite('PostgreSQL put back below nodes that run', { skip: natsServerMissing }, () => {
  let rig: ClusterRig;
  let stripe: LocalStripe;
  let postgres: Postgres;
  let nodes: readonly [ClusterNode, ClusterNode];
  const keys = { opener: '', exporter: '', late: '' };
  /** Streams that were opened after the copy. */
  let streams: readonly TestSubscriber[];
  let lateStream: TestSubscriber;
  const exported: Exported[] = [];
  const buyers = {} as Record<'refunded' | 'paid', ClusterBuyer>;
  const orders = {} as Record<'refunded' | 'paid' | 'unknown', string>;
  let paidUntil: string | null;
  let mailed: Mailed;

  before(async () => {
    stripe = await LocalStripe.open();
    rig = await ClusterRig.make({
      nodes: { first: 'ingest,serve', second: 'serve' },
      replicas: 1,
      nats: { count: 1 },
      env: stripe.env,
    });
    await rig.startNodes();
    nodes = [rig.node('first'), rig.node('second')];
    postgres = openPostgres({ url: rig.database, connectionsMax: 2 });

    [keys.opener, keys.exporter] = (await makeSharedAccounts(rig.database, [
      'opener',
      'exporter',
    ])) as [string, string];
    const closed = await Promise.all([...nodes, ...nodes].map((node) => opened(node, keys.opener)));
    exported.push(await exportOf(nodes[0], keys.exporter, 'before'));
    buyers.refunded = await ClusterBuyer.signIn(nodes[0], 'refunded@example.com');
    buyers.paid = await ClusterBuyer.signIn(nodes[0], 'paid@example.com');
    orders.refunded = (await buyers.refunded.order()).id;
    orders.paid = (await buyers.paid.order()).id;
    await stripe.pay(orders.refunded, nodes[1]);
    await confirmed('refunded');
    const copy = await PostgresCopy.of(rig.postgres);

    for (const stream of closed) await stream.close();
    streams = await Promise.all([...nodes, nodes[0]].map((node) => opened(node, keys.opener)));
    [keys.late] = (await makeSharedAccounts(rig.database, ['late'])) as [string];
    lateStream = await opened(nodes[1], keys.late);
    exported.push(await exportOf(nodes[1], keys.exporter, 'after'));
    await stripe.refund(orders.refunded, nodes[0]);
    await becomes('refunded', buyers.refunded, orders.refunded);
    await stripe.pay(orders.paid, nodes[1]);
    ({ paidUntil } = await becomes('paid', buyers.paid, orders.paid));
    const unknown = await ClusterBuyer.signIn(nodes[1], 'unknown@example.com');
    orders.unknown = (await unknown.order()).id;
    await stripe.pay(orders.unknown, nodes[0]);
    await becomes('paid', unknown, orders.unknown);
    // These requests are counted but not yet stored when the database goes.
    await Promise.all(nodes.map((node) => node.get('/v1/instruments', keys.late)));
    await confirmed('paid');
    mailed = await confirmations();
    await copy.putBack();
  });

  after(async () => {
    await postgres?.[Symbol.asyncDispose]();
    await rig?.[Symbol.asyncDispose]();
    await stripe?.[Symbol.asyncDispose]();
  });

  test('whom it does not know any more is sent away, and others keep their streams', async () => {
    assert.equal((await lateStream.closed).code, 4003);
    for (const node of nodes) await answers(node, keys.late, 401);
    for (const stream of streams) {
      const before = stream.messages.length;
      await stream.send({ t: 'ping' });
      await stream.first(({ t }) => t === 'pong');
      assert.ok(stream.messages.length > before);
    }
  });

  test('an account has open what it has open: no more is let in, and no less', async () => {
    for (const node of nodes) await answers(node, keys.opener, 200);
    const held = () =>
      postgres.query<{ readonly kind: string; readonly count: bigint }>(
        `select kind, count(*) as count from leases group by kind order by kind`,
      );
    const right = ['configuration', 'connection', 'subscription'].map((kind) => ({
      kind,
      count: BigInt(streams.length),
    }));
    await until(async () => assert.deepEqual(await held(), right));
    const tried = nodes.flatMap((node) =>
      Array.from({ length: maxConnections }, () => node.connect(keys.opener)),
    );
    const ends = await Promise.all(tried.map(openOrClosed));
    const count = ends.filter((end) => end === 'open').length;
    assert.equal(count, maxConnections - streams.length, ends.join(' '));
    await Promise.all(tried.map((connection) => connection.close()));
  });

  test('exports of before and of after the copy are resumed on any node, and what is used is counted', async () => {
    for (const { token, lines } of exported) {
      for (const node of nodes) {
        const answer = await node.get(`/v1/export?resume=${token}&line=1`, keys.exporter);
        assert.equal(answer.status, 200, await answer.clone().text());
        assert.deepEqual(await linesOf(answer), lines.slice(1));
      }
    }
    const used = async () => {
      const rows = await postgres.query<{ readonly requests: bigint; readonly units: bigint }>(
        `select rest_requests as requests, compute_units as units from month_usage u
          join accounts a on a.id = u.account_id where a.name = 'exporter'`,
      );
      return rows[0]!;
    };
    const { requests, units } = await used();
    assert.ok(units > 0n);
    for (const node of nodes) await answers(node, keys.exporter, 200);
    await until(async () => assert.ok((await used()).requests >= requests + 2n));
    // An idempotency key from after the copy is lost: its export runs and is charged again.
    for (const [once, isReplayed, times] of [
      ['before', true, 1n],
      ['after', false, 2n],
      ['after', true, 2n],
    ] as const) {
      const again = await exportOf(nodes[0], keys.exporter, once);
      assert.deepEqual([again.isReplayed, again.lines], [isReplayed, exported[0]!.lines], once);
      assert.equal((await used()).units, times * units);
    }
  });

  test('orders are what their provider says, however often it is told, and nobody is granted anything twice', async () => {
    await becomes('refunded', buyers.refunded, orders.refunded);
    const again = await becomes('paid', buyers.paid, orders.paid);
    assert.equal(again.paidUntil, paidUntil);
    const changes = () =>
      postgres.query<{ readonly after: string }>(
        `select details::json ->> 'order' || ' ' || (details::json ->> 'after') as after
          from audit_log where kind = 'order.changed' and details not like '%"after":"open"%'
          order by sequence`,
      );
    const before = await changes();
    assert.deepEqual(
      before.map(({ after }) => after).sort(),
      [`${orders.refunded} paid`, `${orders.refunded} refunded`, `${orders.paid} paid`].sort(),
    );
    const grants = () => postgres.query(`select * from grants where source like 'ord_%'`);
    const granted = await grants();
    assert.equal(granted.length, 1);
    assert.deepEqual([...(await stripe.tellAgain([...nodes, ...nodes]))], [200]);
    const pending = `select 1 from payment_events where state = 'pending' and attempts = 0`;
    await until(async () => assert.deepEqual(await postgres.query(pending), []));
    assert.deepEqual(await changes(), before);
    assert.deepEqual(await grants(), granted);
  });

  test('what was ordered after the copy is told to the operator', async () => {
    const { code, stderr } = await rig.command('billing', 'reconcile');
    assert.equal(code, 0, stderr);
    await until(async () => {
      const said = nodes.map(({ service }) => service.output + service.errors).join('');
      assert.match(said, /a payment belongs to no order here/);
    });
  });

  test('a confirmation that was mailed after the copy is mailed again, and no other', async () => {
    await confirmed('paid');
    await until(async () => {
      assert.deepEqual(await confirmations(), { ...mailed, paid: mailed.paid + 1 });
    });
  });

  /** Resolves when the mail of an order's confirmation is recorded. */
  async function confirmed(name: 'refunded' | 'paid'): Promise<void> {
    const noted = 'select 1 from orders where id = $1 and confirmed_at is not null';
    await until(async () =>
      assert.equal((await postgres.query(noted, [orders[name]])).length, 1, name),
    );
  }

  /** The number of confirmations to each of the two, from all nodes. */
  async function confirmations(): Promise<Mailed> {
    const pages = await Promise.all(
      nodes.map(async (node) => (await node.internal('/mailbox')).text()),
    );
    const mails = pages.flatMap((page) => page.split('<article>').slice(1));
    const sent = mails.filter((mail) => mail.includes('<h2>Your Tapeloom order is confirmed'));
    const to = (name: string) => sent.filter((mail) => mail.includes(`${name}@example.com`)).length;
    return { refunded: to('refunded'), paid: to('paid') };
  }
});

type Mailed = Readonly<Record<'refunded' | 'paid', number>>;

interface Exported {
  readonly token: string;
  readonly isReplayed: boolean;
  readonly lines: readonly string[];
}

/** Opens a stream with its own configuration, of which an account may have only a few. */
async function opened(node: ClusterNode, key: string): Promise<TestSubscriber> {
  const subscriber = node.connect(key);
  const size = 100 + (configurations % maxCustomConfigs);
  configurations += 1;
  const what = { instrument: 'BTC.c.0', indicator: 'bars', params: { bar: 'tick', size } };
  await subscriber.send({ t: 'subscribe', sub: 's', ...what });
  const { t, detail } = await subscriber.first(({ t }) => t === 'subscribed' || t === 'error');
  assert.equal(t, 'subscribed', String(detail));
  return subscriber;
}

let configurations = 0;

async function openOrClosed(connection: TestSubscriber): Promise<'open' | number> {
  await connection.send({ t: 'ping' }).catch(() => undefined);
  return await Promise.race([
    connection.closed.then(({ code }) => code),
    connection.first(({ t }) => t === 'pong').then(() => 'open' as const),
  ]);
}

async function exportOf(node: ClusterNode, key: string, once: string): Promise<Exported> {
  const to = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000);
  const from = new Date(to.getTime() - 3_600_000);
  const query = new URLSearchParams({
    instrument: 'BTC.c.0',
    indicator: 'bars',
    from: from.toISOString(),
    to: to.toISOString(),
  });
  const answer = await fetch(`http://${node.host}:${node.port}/v1/export?${query}`, {
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': once },
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
  return {
    token: answer.headers.get('x-export-token')!,
    isReplayed,
    lines: await linesOf(answer),
  };
}

async function linesOf(answer: Response): Promise<readonly string[]> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return zstdDecompressSync(bytes).toString().split('\n').slice(0, -1);
}

async function becomes(state: string, buyer: ClusterBuyer, id: string) {
  let seen = await buyer.orderNow(id);
  await until(async () => {
    seen = await buyer.orderNow(id);
    assert.equal(seen?.state, state, id);
  });
  return seen!;
}
