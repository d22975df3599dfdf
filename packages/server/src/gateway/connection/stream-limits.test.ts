import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import type { HandedOutKey } from '../../../testing/accounts/memory-accounts.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY, FLOOD } from '../../../testing/stream/in-process-stream.ts';
import { type StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { TEST_DATASET } from '../../../testing/tape/one-dataset.ts';

const SMALL: readonly Plan[] = ['sandbox', 'history'];
const LARGE: readonly Plan[] = ['live', 'live_history'];

/** Parameters of bars that differ from the defaults, each number others. */
const custom = (number: number) => ({ params: { size: 100 + number } });

/** `ok`, or the code of the error; the answer is the last message about this name. */
async function ask(client: StreamClient, sub: string, more?: object): Promise<string> {
  const before = client.messages.length;
  client.send(subscribe(sub, more));
  await client.answered();
  for (const message of client.messages.slice(before)) {
    if (!('sub' in message) || message.sub !== sub) continue;
    if (message.t === 'error') return message.code;
    if (message.t === 'subscribed') return 'ok';
  }
  throw new Error(`no answer to ${sub}`);
}

async function connectionsOf(desk: AccountStream, plan: Plan, limit: number): Promise<void> {
  const accountId = await desk.accounts.account(plan);
  const keys = [await desk.accounts.key(accountId), await desk.accounts.key(accountId)] as const;
  const open: [StreamClient, HandedOutKey][] = [];
  for (let count = 0; count < limit; count += 1) {
    const key = keys[count % 2]!;
    open.push([await desk.open(key), key]);
  }
  for (const key of keys) {
    using tooMany = await desk.connect(key).opened();
    await assert.rejects(tooMany.answered(), plan);
    assert.equal((await tooMany.closed).code, 4029, plan);
    assert.deepEqual(tooMany.messages, []);
  }
  for (const [client] of open) await client.answered();
  await desk.end(...open.pop()!);
  using freed = await desk.open(keys[0]);
  await freed.answered();
  for (const [client] of open) {
    await client.answered();
    client[Symbol.dispose]();
  }
}

test('a sandbox and a history account have one connection over all keys [PLAN-10] [COUNT-01] [CLOSE-14]', async () => {
  await using desk = await AccountStream.start();
  for (const plan of SMALL) await connectionsOf(desk, plan, 1);
});

test('a live and a live_history account have five connections over all keys [PLAN-11]', async () => {
  await using desk = await AccountStream.start();
  for (const plan of LARGE) await connectionsOf(desk, plan, 5);
});

test('a sandbox and a history account have two subscriptions and one custom configuration [PLAN-12] [PLAN-14] [ERR-25]', async () => {
  await using desk = await AccountStream.start();
  for (const plan of SMALL) {
    using one = await desk.open(await desk.key(plan));
    assert.equal(await ask(one, 'a', custom(1)), 'ok');
    assert.equal(await ask(one, 'b', custom(2)), 'QUOTA_EXCEEDED');
    assert.equal(await ask(one, 'b', custom(1)), 'ok');
    assert.equal(await ask(one, 'c'), 'QUOTA_EXCEEDED');
    one.send({ t: 'unsubscribe', sub: 'a' });
    assert.equal(await ask(one, 'c'), 'ok');
  }
});

test('a live and a live_history account have 50 subscriptions and 25 custom configurations [PLAN-13] [PLAN-15]', async () => {
  await using desk = await AccountStream.start(FLOOD);
  for (const plan of LARGE) {
    using one = await desk.open(await desk.key(plan));
    for (let count = 1; count <= 25; count += 1) {
      assert.equal(await ask(one, `s${count}`, custom(count)), 'ok');
    }
    assert.equal(await ask(one, 's26', custom(26)), 'QUOTA_EXCEEDED');
    for (let count = 26; count <= 50; count += 1) assert.equal(await ask(one, `s${count}`), 'ok');
    assert.equal(await ask(one, 's51'), 'QUOTA_EXCEEDED');
  }
});

test('subscriptions and configurations are counted over all keys and connections [COUNT-02]', async () => {
  await using desk = await AccountStream.start();
  const accountId = await desk.accounts.account('live');
  using one = await desk.open(await desk.accounts.key(accountId));
  using two = await desk.open(await desk.accounts.key(accountId));
  for (let count = 1; count <= 25; count += 1) {
    assert.equal(await ask(one, `s${count}`, custom(count)), 'ok');
  }
  assert.equal(await ask(two, 'x', custom(26)), 'QUOTA_EXCEEDED');
  for (let count = 1; count <= 25; count += 1) assert.equal(await ask(two, `s${count}`), 'ok');
  assert.equal(await ask(one, 'x'), 'QUOTA_EXCEEDED');
  assert.equal(await ask(two, 'x'), 'QUOTA_EXCEEDED');
});

test('test keys have the sandbox limits beside what production has open, and count at the account too [COUNT-01] [COUNT-02]', async () => {
  await using desk = await AccountStream.start();
  const accountId = await desk.accounts.account('live');
  const live = await desk.accounts.key(accountId);
  const trials = [
    await desk.accounts.key(accountId, { environment: 'test' }),
    await desk.accounts.key(accountId, { environment: 'test' }),
  ] as const;
  const production = [await desk.open(live), await desk.open(live), await desk.open(live)] as const;
  for (let count = 1; count <= 5; count += 1) {
    assert.equal(await ask(production[0], `s${count}`, custom(count)), 'ok');
  }
  // Production alone has more open than the sandbox allows; the test keys have all of theirs.
  using trial = await desk.open(trials[0]);
  for (const key of trials) {
    using tooMany = desk.connect(key);
    assert.equal((await tooMany.closed).code, 4029);
  }
  assert.equal(await ask(trial, 'a', custom(6)), 'ok');
  assert.equal(await ask(trial, 'b', custom(1)), 'QUOTA_EXCEEDED');
  assert.equal(await ask(trial, 'b', custom(6)), 'ok');
  assert.equal(await ask(trial, 'c'), 'QUOTA_EXCEEDED');
  const refused = trial.messages.filter((it) => it.t === 'error').map((it) => it.message);
  assert.deepEqual(refused, [
    'The account may have 25 custom configurations at a time across all its keys, at most 1 custom configuration of them with test keys.',
    'The account may have 50 subscriptions at a time across all its keys, at most 2 subscriptions of them with test keys.',
  ]);
  assert.equal(await desk.held(accountId, 'connection'), 4);
  assert.equal(await desk.held(accountId, 'subscription'), 7);
  assert.equal(await desk.held(accountId, 'configuration'), 6);

  // Test traffic is not free: with a fifth connection the account has all it may have.
  using fifth = await desk.open(live);
  using sixth = desk.connect(live);
  assert.equal((await sixth.closed).code, 4029);
  await desk.end(trial, trials[0]);
  using again = await desk.open(live);
  using late = desk.connect(trials[1]);
  assert.equal((await late.closed).code, 4029, 'the account is full');
  for (const client of [...production, fifth, again]) client[Symbol.dispose]();
});

test('whatever differs from a default makes a configuration, defaults spelled out make none [COUNT-05] [COUNT-06]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const { accountId } = key.record;
  using one = await desk.open(key);
  const counted = async (more: object) => {
    assert.equal(await ask(one, 'a', more), 'ok', JSON.stringify(more));
    const count = await desk.held(accountId, 'configuration');
    one.send({ t: 'unsubscribe', sub: 'a' });
    await one.answered();
    assert.equal(await desk.held(accountId, 'configuration'), 0);
    return count;
  };
  const defaults = { bar: 'time', size: 60, session: 'full', depth: 500 };
  for (const params of [undefined, {}, { size: 60 }, { size: 6e1 }, defaults]) {
    assert.equal(await counted({ params }), 0, JSON.stringify(params));
  }
  for (const params of [
    { size: 61 },
    { bar: 'tick' },
    { session: 'rth' },
    { depth: 499 },
    { ...defaults, depth: 501 },
  ]) {
    assert.equal(await counted({ params }), 1, JSON.stringify(params));
  }
});

test('one combination counts once, however it is written and in whatever mode [COUNT-07] [SEC-23]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using one = await desk.open(key);
  const held = () => desk.held(key.record.accountId, 'configuration');
  const same = [
    { params: { size: 61 } },
    { params: { size: 61 } },
    { params: { session: 'full', size: 61, bar: 'time' } },
    { params: { size: 61 }, mode: 'confirmed' },
    { params: { size: 61 }, instrument: 'A.c.0' },
  ];
  for (const [index, more] of same.entries()) {
    assert.equal(await ask(one, `same ${index}`, more), 'ok');
    assert.equal(await held(), 1, JSON.stringify(more));
  }
  for (const [index, params] of ['{"size":61.0}', '{"size":6.1e1,"bar":"time"}'].entries()) {
    one.send(JSON.stringify(subscribe(`text ${index}`, { params: {} })).replace('{}', params));
    await one.find('subscribed', (it) => it.sub === `text ${index}`);
    assert.equal(await held(), 1, params);
  }
  const others = [
    { params: { size: 62 } },
    { params: { size: 61 }, instrument: 'BB' },
    { params: { size: 61 }, indicator: 'footprint' },
    { params: { size: 61, depth: 10 } },
  ];
  for (const [index, more] of others.entries()) {
    assert.equal(await ask(one, `other ${index}`, more), 'ok', JSON.stringify(more));
    assert.equal(await held(), index + 2, JSON.stringify(more));
  }
});

test('with a limit of one, both modes and the alias share the configuration [COUNT-08] [COUNT-09]', async () => {
  await using desk = await AccountStream.start();
  for (const more of [{ mode: 'confirmed' }, { instrument: 'A.c.0' }]) {
    using one = await desk.open(await desk.key('sandbox'));
    assert.equal(await ask(one, 'a', custom(1)), 'ok');
    assert.equal(await ask(one, 'b', { ...custom(1), ...more }), 'ok');
    // The second one holds it alone.
    one.send({ t: 'unsubscribe', sub: 'a' });
    assert.equal(await ask(one, 'c', custom(2)), 'QUOTA_EXCEEDED');
  }
});

test('a configuration is free when its last subscription ends, by unsubscribe or with the connection [COUNT-10] [COUNT-11]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const { accountId } = key.record;
  const held = () => desk.held(accountId, 'configuration');
  const one = await desk.open(key);
  using two = await desk.open(key);
  for (const sub of ['a', 'b']) assert.equal(await ask(one, sub, custom(1)), 'ok');
  assert.equal(await ask(two, 'a', custom(1)), 'ok');
  one.send({ t: 'unsubscribe', sub: 'a' });
  await one.answered();
  two.send({ t: 'unsubscribe', sub: 'a' });
  await two.answered();
  assert.equal(await held(), 1);
  one.send({ t: 'unsubscribe', sub: 'b' });
  await one.answered();
  assert.equal(await held(), 0);

  const small = await desk.key('sandbox');
  const first = await desk.open(small);
  assert.equal(await ask(first, 'a', custom(1)), 'ok');
  await desk.end(first, small);
  using next = await desk.open(small);
  assert.equal(await ask(next, 'a', custom(2)), 'ok');
  await desk.end(one, key);
});

test('what fails after it was counted is given back', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('sandbox');
  using one = await desk.open(key);
  assert.equal(await ask(one, 'a', custom(1)), 'ok');
  desk.stream.hub.setSource(TEST_DATASET, 'down');
  for (let count = 0; count < 3; count += 1) {
    assert.equal(await ask(one, 'b', custom(1)), 'SOURCE_DOWN');
  }
  desk.stream.loseEngine();
  await one.find('error', (it) => it.sub === 'a');
  await one.answered();
  const { accountId } = key.record;
  assert.equal(await desk.held(accountId, 'subscription'), 0);
  assert.equal(await desk.held(accountId, 'configuration'), 0);
});

test('a client that ends one subscription and starts another in one breath never meets its own limit', async () => {
  await using desk = await AccountStream.start();
  using one = await desk.open(await desk.key('sandbox'));
  assert.equal(await ask(one, 'kept'), 'ok');
  for (let round = 0; round < 40; round += 1) {
    one.send(subscribe('a', custom(round)));
    one.send({ t: 'unsubscribe', sub: 'a' });
  }
  await one.answered();
  assert.ok(!one.kinds().includes('error'), JSON.stringify(one.messages));
});

test('leases of an open connection live on, and nobody else gets them', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('sandbox');
  using one = await desk.open(key);
  assert.equal(await ask(one, 'a', custom(1)), 'ok');
  for (let minute = 0; minute < 5; minute += 1) {
    await desk.stream.pass(60_000);
    await one.answered();
  }
  using tooMany = desk.connect(key);
  assert.equal((await tooMany.closed).code, 4029);
});

test('at a roll configurations move to the new contract, with the limit full on every connection', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const { accountId } = key.record;
  using one = await desk.open(key);
  using two = await desk.open(key);
  for (let count = 1; count <= 25; count += 1) {
    for (const client of [one, two]) {
      const more = { ...custom(count), instrument: 'A.c.0' };
      assert.equal(await ask(client, `s${count}`, more), 'ok');
    }
  }
  desk.stream.clock.advance(13 * 3_600_000);
  desk.stream.promise();
  for (const client of [one, two]) {
    for (let count = 1; count <= 25; count += 1) {
      const isBB = (it: { sub?: string }) => it.sub === `s${count}` && 'contract' in it;
      await client.find('subscribed', (it) => isBB(it) && JSON.stringify(it).includes('"BB"'));
    }
    assert.ok(!client.kinds().includes('error'));
  }
  assert.equal(await desk.held(accountId, 'configuration'), 25);
  assert.equal(await desk.held(accountId, 'subscription'), 50);
  assert.equal(await ask(one, 'old', custom(1)), 'QUOTA_EXCEEDED');
});

test('a roll that needs one configuration more than there are ends that subscription alone', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('sandbox');
  using one = await desk.open(key);
  assert.equal(await ask(one, 'symbol', custom(1)), 'ok');
  assert.equal(await ask(one, 'alias', { ...custom(1), instrument: 'A.c.0' }), 'ok');
  desk.stream.tape.commit([], epochNs(addDays(DAY, 1), 601 * 1_000_000_000));
  desk.stream.engine.pulse();
  const error = await one.find('error');
  assert.deepEqual([error.sub, error.code], ['alias', 'QUOTA_EXCEEDED']);
  await one.answered();
  assert.equal(await desk.held(key.record.accountId, 'subscription'), 1);
  assert.equal(await desk.held(key.record.accountId, 'configuration'), 1);
});

test('whatever clients do, limits hold and everything is given back', async () => {
  await using desk = await AccountStream.start();
  const step = fc.record({
    client: fc.nat(2),
    act: fc.constantFrom('subscribe', 'subscribe', 'subscribe', 'unsubscribe', 'drop'),
    sub: fc.constantFrom('a', 'b', 'c'),
    size: fc.integer({ min: 60, max: 62 }),
  });
  const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
    const key = await desk.key('sandbox');
    const { accountId } = key.record;
    const clients: StreamClient[] = [];
    for (const { client: index, act, sub, size } of steps) {
      clients[index] ??= await desk.connect(key).opened();
      const client = clients[index];
      if (act === 'drop') {
        client.socket.terminate();
        delete clients[index];
      } else if (client.socket.readyState === client.socket.OPEN) {
        client.send(act === 'subscribe' ? subscribe(sub, { params: { size } }) : { t: act, sub });
      }
      assert.ok((await desk.held(accountId, 'connection')) <= 1);
      assert.ok((await desk.held(accountId, 'subscription')) <= 2);
      assert.ok((await desk.held(accountId, 'configuration')) <= 1);
    }
    for (const client of Object.values(clients)) client.socket.terminate();
    const { metrics } = desk.stream.gateway;
    while (metrics.connections > 0) await turn();
    await turn();
    for (const kind of ['connection', 'subscription', 'configuration'] as const) {
      assert.equal(await desk.held(accountId, kind), 0, kind);
    }
  });
  await fc.assert(property, { numRuns: 40 });
  assert.deepEqual(desk.stream.faults, []);
});
