import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { Compile } from 'typebox/schema';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY, InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { openClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { TEST_DATASET } from '../../../testing/tape/one-dataset.ts';

test('subscribed, status, snapshot, then updates, each with its fields [SUB-13] [EVT-02] [EVT-03] [EVT-04] [EVT-08] [EVT-10] [EVT-14] [OBJ-01] [OBJ-06] [WS-03]', async () => {
  await using stream = await InProcessStream.start();
  stream.trade({ price: 100, size: 2 }, { price: 101, size: 3, side: -1 });
  await stream.pass(1_000);
  using one = await openClient(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  stream.trade({ price: 104 });
  await stream.pass(1_000);
  await one.find('upsert');
  assert.deepEqual(one.kinds('a').slice(0, 5), [
    'subscribed',
    'status',
    'status',
    'snapshot',
    'upsert',
  ]);
  const [subscribed, warming, live, snapshot, upsert] = one.messages.slice(1) as [
    Extract<ServerMessage, { t: 'subscribed' }>,
    Extract<ServerMessage, { t: 'status' }>,
    Extract<ServerMessage, { t: 'status' }>,
    Extract<ServerMessage, { t: 'snapshot' }>,
    Extract<ServerMessage, { t: 'upsert' }>,
  ];
  const topic = 'AA/bars?bar=time&session=full&size=60';
  assert.deepEqual(subscribed, {
    t: 'subscribed',
    sub: 'a',
    topic,
    instrument: 'AA',
    contract: 'AA',
    tickSizeNanos: 250_000_000,
  } as unknown);
  assert.deepEqual(warming, { t: 'status', sub: 'a', state: 'warming', lagMs: 0 });
  assert.deepEqual(live, { t: 'status', sub: 'a', state: 'live', lagMs: 0 });
  assert.deepEqual(Object.keys(snapshot).sort(), ['cursor', 'items', 'sub', 't']);
  assert.deepEqual(Object.keys(snapshot.items[0]!).sort(), ['data', 'final', 'id', 'ts']);
  assert.deepEqual(Object.keys(upsert).sort(), ['cursor', 'data', 'final', 'id', 'sub', 't', 'ts']);
  for (const { cursor } of [snapshot, upsert]) assert.equal(parseCursor(cursor)?.day, DAY);
  assert.equal(upsert.id, snapshot.items[0]!.id);
  assert.equal((upsert.data as { high: number }).high, 104);
  assert.equal(stream.faults.length, 0);
});

test('the lag of a stream that starts in the past is its distance to the newest it may see [EVT-14]', async () => {
  await using desk = await AccountStream.start();
  const time = `${desk.clock.now()}`;
  desk.stream.trade({ price: 100 });
  await desk.stream.pass(660_000);
  for (const [plan, lagMs] of [
    ['live', 660_000],
    ['sandbox', 60_000],
  ] as const) {
    using one = await desk.open(await desk.key(plan));
    one.send(subscribe('a', { from: { time } }));
    const live = await one.find('status', ({ state }) => state === 'live');
    assert.deepEqual(await one.find('status'), { ...live, state: 'warming', lagMs });
    assert.equal(live.lagMs, 0, plan);
  }
});

test('an empty topic has an empty snapshot; an object settles with final and never changes after [OBJ-03] [OBJ-04] [EVT-11]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('a', { params: { size: 10 } }));
  assert.deepEqual((await one.find('snapshot')).items, []);
  const at = stream.clock.now();
  stream.trade({ price: 100 });
  await stream.pass(1_000);
  stream.trade({ price: 102 });
  await stream.pass(15_000);
  stream.trade({ price: 99 });
  await stream.pass(20_000);
  const updates =
    (await one.find('upsert', (it) => it.final && it.id.endsWith('.3'))) &&
    one.messages.filter((message) => message.t === 'upsert');
  const ids = [...new Set(updates.map((update) => update.id))];
  assert.deepEqual(ids, [`${DAY}.1`, `${DAY}.3`]);
  for (const id of ids) {
    const versions = updates.filter((update) => update.id === id);
    assert.deepEqual(
      versions.map((it) => it.final),
      [...versions.slice(1).map(() => false), true],
    );
  }
  assert.equal(updates[0]!.ts, at.toString());
});

test('confirmed passes exactly the final messages of live [SUB-09] [DET-16]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('plain', { params: { size: 10 } }));
  one.send(subscribe('live', { params: { size: 10 }, mode: 'live' }));
  one.send(subscribe('sure', { params: { size: 10 }, mode: 'confirmed' }));
  for (const sub of ['plain', 'live', 'sure']) await one.find('snapshot', (it) => it.sub === sub);
  for (let step = 0; step < 40; step += 1) {
    stream.trade({ price: 100 + (step % 7) });
    await stream.pass(1_000);
  }
  await one.answered();
  const updates = (sub: string) =>
    one.messages.flatMap((it) => (it.t === 'upsert' && it.sub === sub ? [{ ...it, sub: '' }] : []));
  assert.ok(updates('sure').length >= 3);
  assert.deepEqual(
    updates('sure'),
    updates('live').filter((it) => it.final),
  );
  assert.deepEqual(updates('plain'), updates('live'));
  one.send(subscribe('sure2', { params: { size: 10 }, mode: 'confirmed' }));
  one.send(subscribe('live2', { params: { size: 10 } }));
  const sure = await one.find('snapshot', (it) => it.sub === 'sure2');
  const live = await one.find('snapshot', (it) => it.sub === 'live2');
  assert.deepEqual(
    sure.items,
    live.items.filter((it) => it.final),
  );
});

test('a refused subscribe gets an error with its sub and code, and others run on [SUB-05] [SUB-12] [EVT-19] [EVT-20]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('good'));
  await one.find('snapshot');
  const cases: [string, object, string, string | null][] = [
    ['unknown-instrument', { instrument: 'ZZ' }, 'UNKNOWN_INSTRUMENT', null],
    ['other-case', { instrument: 'aa' }, 'UNKNOWN_INSTRUMENT', null],
    ['not-streamed', { instrument: 'CC' }, 'UNKNOWN_INSTRUMENT', null],
    ['unknown-indicator', { indicator: 'Bars' }, 'UNKNOWN_INDICATOR', null],
    ['bad-param', { params: { size: 0 } }, 'INVALID_PARAMETERS', '/params/size'],
    ['bad-type', { params: { size: '60' } }, 'INVALID_PARAMETERS', '/params/size'],
    ['unknown-param', { params: { sise: 1 } }, 'INVALID_PARAMETERS', '/params/sise'],
    ['missing', { indicator: undefined }, 'INVALID_PARAMETERS', '/indicator'],
    ['good', {}, 'INVALID_PARAMETERS', '/sub'],
    ['cursor', { from: { cursor: '20261113.01.1' } }, 'INVALID_PARAMETERS', '/from'],
    ['time', { from: { time: '2026-11-13' } }, 'INVALID_PARAMETERS', '/from/time'],
  ];
  for (const [sub, more, code, path] of cases) {
    one.send(subscribe(sub, more));
    const error = await one.find('error', (it) => it.sub === sub);
    assert.equal(error.code, code, sub);
    const { errors } = error as { errors?: readonly { path: string }[] };
    assert.deepEqual(
      errors?.map((fault) => fault.path) ?? null,
      path === null ? null : [path],
      sub,
    );
  }
  stream.trade({ price: 105 });
  await stream.pass(1_000);
  await one.find('upsert', (it) => it.sub === 'good');
  assert.equal(stream.gateway.metrics.subscriptions, 1);
  assert.equal(stream.gateway.metrics.errorsTotal.UNKNOWN_INSTRUMENT, 3);
});

test('the data of every object fits the published schema of its indicator [OBJ-05]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  const small = Object.entries({ size: 5, minSize: 1, minVolume: 1, holdMs: 1 });
  for (const { id, parameters } of INDICATORS) {
    const params = Object.fromEntries(
      small.filter(([name]) => parameters.some((parameter) => parameter.name === name)),
    );
    one.send(subscribe(id, { indicator: id, params }));
    await one.find('snapshot', (it) => it.sub === id);
  }
  for (let second = 0; second < 20; second += 1) {
    stream.trade({ price: 100 + (second % 4), size: 20, side: second % 2 === 0 ? 1 : -1 });
    await stream.pass(1_000);
  }
  await one.answered();
  const silent: string[] = [];
  for (const { id, data } of INDICATORS) {
    const schema = Compile(data as object);
    const updates = one.messages.filter((it) => it.t === 'upsert' && it.sub === id);
    if (updates.length === 0) silent.push(id);
    for (const update of updates) {
      assert.ok(update.t === 'upsert' && schema.Check(update.data), JSON.stringify(update));
    }
  }
  // What these show needs many prices at once, or a finished session.
  assert.deepEqual(silent, ['imbalances', 'sweeps', 'naked-levels', 'unfinished-auctions']);
});

test('a sub is unique on its connection only [SUB-04]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  using other = await openClient(stream);
  one.send(subscribe('a'));
  one.send(subscribe('a'));
  other.send(subscribe('a'));
  await one.find('error', (it) => it.sub === 'a' && it.code === 'INVALID_PARAMETERS');
  await one.find('snapshot');
  await other.find('snapshot');
  stream.trade({ price: 103 });
  await stream.pass(1_000);
  await one.find('upsert');
  await other.find('upsert');
});

test('left out, params, mode and from mean {}, live and live [SUB-07] [SUB-09] [SUB-11]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('a'));
  one.send(subscribe('b', { params: {}, mode: 'live', from: 'live' }));
  const a = await one.find('subscribed', (it) => it.sub === 'a');
  const b = await one.find('subscribed', (it) => it.sub === 'b');
  assert.equal(a.topic, b.topic);
  await one.find('snapshot', (it) => it.sub === 'b');
  stream.trade({ price: 101 });
  await stream.pass(1_000);
  const [first, second] = [
    await one.find('upsert', (it) => it.sub === 'a'),
    await one.find('upsert', (it) => it.sub === 'b'),
  ];
  assert.deepEqual({ ...first, sub: '' }, { ...second, sub: '' });
  assert.equal(stream.hub.counts.topics, 1);
});

test('unsubscribe is silent, ends that subscription alone and frees the name [WS-09]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('a'));
  one.send(subscribe('b'));
  await one.find('snapshot', (it) => it.sub === 'a');
  await one.find('snapshot', (it) => it.sub === 'b');
  one.send({ t: 'unsubscribe', sub: 'a' });
  await one.answered();
  const before = one.kinds('a').length;
  stream.trade({ price: 103 });
  await stream.pass(6_000);
  await one.find('upsert', (it) => it.sub === 'b');
  await one.answered();
  assert.equal(one.kinds('a').length, before);
  one.send({ t: 'unsubscribe', sub: 'a' });
  assert.equal((await one.find('error')).code, 'INVALID_PARAMETERS');
  one.send(subscribe('a'));
  await one.find('snapshot', (it) => it.sub === 'a' && it.items.length === 1);
});

test('hb comes every 5 s: per subscription with its cursor, alone without subscriptions [EVT-22]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  await stream.pass(5_000);
  const lone = await one.find('hb');
  assert.deepEqual(Object.keys(lone).sort(), ['t', 'ts']);
  one.send(subscribe('a'));
  one.send(subscribe('b', { indicator: 'footprint' }));
  await one.find('snapshot', (it) => it.sub === 'b');
  stream.trade({ price: 102 });
  for (let beat = 0; beat < 3; beat += 1) await stream.pass(5_000);
  await one.answered();
  const beats = one.messages.filter((it) => it.t === 'hb').slice(1);
  assert.deepEqual(
    beats.map((it) => it.sub),
    ['a', 'b', 'a', 'b', 'a', 'b'],
  );
  const [first, , second] = beats;
  assert.equal(BigInt(second!.ts) - BigInt(first!.ts), 5_000_000_000n);
  assert.equal(parseCursor(beats[0]!.cursor!)?.day, DAY);
});

test('at an hb the client has the state of a snapshot with that cursor [DET-10] [DET-15]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  using other = await openClient(stream);
  one.send(subscribe('a', { params: { size: 7 } }));
  await one.find('snapshot');
  for (let second = 0; second < 60; second += 1) {
    if (second % 3 === 0) stream.trade({ price: 100 + (second % 5) }, { price: 100 });
    await stream.pass(1_000);
    other.send(subscribe(`${second}`, { params: { size: 7 } }));
    await other.find('snapshot', (it) => it.sub === `${second}`);
    other.send({ t: 'unsubscribe', sub: `${second}` });
  }
  await one.answered();
  const snapshots = other.messages.filter((it) => it.t === 'snapshot');
  const state = new Map<string, unknown>();
  let beats = 0;
  for (const message of one.messages) {
    if (message.t === 'upsert') {
      const { t: _t, sub: _sub, cursor: _cursor, ...object } = message;
      state.set(message.id, object);
    }
    if (message.t !== 'hb' || message.sub === undefined) continue;
    const snapshot = snapshots.find((it) => it.cursor === message.cursor);
    assert.deepEqual([...state.values()], snapshot?.items);
    beats += 1;
  }
  assert.ok(beats >= 11 && state.size >= 6);
});

test('status follows the market: live, closed outside the session, stale when the promise stays behind', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  const states = () => one.messages.flatMap((it) => (it.t === 'status' ? [it.state] : []));
  stream.clock.advance(5_000);
  await one.answered();
  assert.deepEqual(states(), ['warming', 'live']);
  stream.clock.advance(2_000);
  await one.find('status', (it) => it.state === 'stale');
  await stream.pass(2_000);
  await one.answered();
  assert.deepEqual(states(), ['warming', 'live', 'stale', 'live']);
  stream.clock.advance(9 * 3_600_000);
  await one.find('status', (it) => it.state === 'closed');
});

test('a source that is down: status down for running streams, SOURCE_DOWN for new ones [ERR-35]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  stream.hub.setSource(TEST_DATASET, 'down');
  await one.find('status', (it) => it.state === 'down');
  one.send(subscribe('b'));
  assert.equal((await one.find('error', (it) => it.sub === 'b')).code, 'SOURCE_DOWN');
  assert.equal(stream.hub.state, 'down');
  stream.hub.setSource(TEST_DATASET, 'up');
  await one.find('status', (it) => it.state === 'live');
  one.send(subscribe('b'));
  await one.find('snapshot', (it) => it.sub === 'b');
});

test('at a roll the alias starts afresh on its new contract: reset, subscribed, snapshot [EVT-06] [EVT-16] [EVT-17] [INST-04]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('alias', { instrument: 'A.c.0' }));
  one.send(subscribe('symbol', { instrument: 'AA' }));
  await one.find('snapshot', (it) => it.sub === 'alias');
  await one.find('snapshot', (it) => it.sub === 'symbol');
  stream.clock.advance(13 * 3_600_000);
  stream.promise();
  assert.equal(dayOf(stream.clock.now()), addDays(DAY, 1));
  const reset = await one.find('reset');
  assert.deepEqual(reset, { t: 'reset', sub: 'alias', reason: 'roll' });
  const isAfter = (message: ServerMessage) =>
    one.messages.indexOf(message) > one.messages.indexOf(reset);
  const subscribed = await one.find('subscribed', isAfter);
  assert.equal((subscribed as { contract?: string }).contract, 'BB');
  assert.equal(subscribed.instrument, 'A.c.0');
  await one.find('snapshot', (it) => it.sub === 'alias' && isAfter(it));
  await one.answered();
  assert.ok(!one.kinds('symbol').includes('reset'));
});

test('a lost engine ends every subscription and leaves the connection open', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  stream.loseEngine();
  await one.find('status', (it) => it.state === 'down');
  assert.equal((await one.find('error')).code, 'INTERNAL');
  one.send(subscribe('a'));
  await one.find('error', (it) => it.code === 'SOURCE_DOWN');
  assert.equal(stream.hub.state, 'down');
  assert.equal(stream.gateway.metrics.subscriptions, 0);
});
