import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseCursor } from '@tapeloom/core/cursor';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY, InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { ResumingClient, RESUMING_SUB as SUB } from '../../../testing/stream/resuming-client.ts';
import { openClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { Refusal } from '../../platform/refusal.ts';

const MINUTE_MS = 60_000;
const BARS = { params: { size: 10 } };

/** A trade every second, for so many seconds. */
async function tradeFor(stream: InProcessStream, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    stream.trade({ price: 100 + (second % 9) });
    await stream.pass(1_000);
  }
}

/** Two clients of one stream, one of which is never cut. */
async function pair(stream: InProcessStream, more: object = BARS) {
  const steady = new ResumingClient(() => openClient(stream), more);
  const cut = new ResumingClient(() => openClient(stream), more);
  for (const client of [steady, cut]) {
    await client.start();
    await client.connection.find('snapshot');
  }
  return { steady, cut };
}

/** Waits until both clients have the same state. */
async function agree(one: ResumingClient, other: ResumingClient): Promise<void> {
  for (const client of [one, other]) await client.connection.answered();
  assert.deepEqual(one.state, other.state);
}

test('inside the ring: subscribed, status, then every missed message, without a snapshot [SUB-14] [SUB-15] [EVT-05] [EVT-15] [OBJ-09]', async () => {
  await using stream = await InProcessStream.start();
  const { steady, cut } = await pair(stream);
  await tradeFor(stream, 25);
  for (let round = 0; round < 3; round += 1) {
    cut.cut();
    await tradeFor(stream, 40);
    const before = cut.cursor!;
    await cut.start();
    await cut.connection.find('upsert');
    await agree(steady, cut);
    assert.deepEqual(cut.kinds, ['subscribed', 'status', 'upsert']);
    assert.equal(cut.connection.messages.filter((it) => it.t === 'status').length, 1);
    // Nothing twice, nothing left out.
    assert.deepEqual(
      upsertsOf(cut),
      upsertsOf(steady).slice(upsertsOf(steady).indexOf(before) + 1),
    );
  }
  assert.deepEqual(stream.faults, []);
});

test('any cursor received is a position to resume from: of an object, a snapshot or an hb [EVT-23] [OBJ-09]', async () => {
  await using stream = await InProcessStream.start();
  const { steady, cut } = await pair(stream);
  await tradeFor(stream, 30);
  await agree(steady, cut);
  const { messages } = steady;
  const cursors = messages.flatMap((it) =>
    'cursor' in it && it.cursor ? [[it.t, it.cursor]] : [],
  );
  assert.deepEqual(new Set(cursors.map(([kind]) => kind)), new Set(['snapshot', 'upsert', 'hb']));
  for (const [, cursor] of cursors) {
    await cut.start({ cursor: cursor! });
    await cut.connection.find('status');
    await agree(steady, cut);
    assert.ok(!cut.kinds.includes('snapshot') && !cut.kinds.includes('reset'));
  }
  await cut.start('live');
  await cut.connection.find('snapshot');
  await agree(steady, cut);
});

test('a stream that published nothing since has no age limit, also when its topic is gone [SUB-17]', async () => {
  await using stream = await InProcessStream.start();
  const { steady, cut } = await pair(stream);
  await tradeFor(stream, 15);
  await stream.pass(30_000);
  await agree(steady, cut);
  cut.cut();
  steady.cut();
  for (const hours of [1, 2]) {
    await stream.jump(hours * 60 * MINUTE_MS);
    await cut.start();
    await cut.connection.find('status', ({ state }) => state === 'live');
    await cut.connection.answered();
    assert.ok(cut.kinds.every((kind) => kind === 'subscribed' || kind === 'status'));
    await stream.pass(6_000);
    const hb = await cut.connection.find('hb', (it) => it.sub === SUB);
    assert.ok(parseCursor(hb.cursor!) !== null);
    cut.cut();
  }
});

test('more resumes at once than the compute threads take: each waits, and none is refused [SUB-14]', async () => {
  await using stream = await InProcessStream.start();
  const { steady, cut } = await pair(stream);
  await tradeFor(stream, 10);
  cut.cut();
  await tradeFor(stream, 10);
  const before = cut.cursor!;
  const { replays } = stream;
  const locate = replays.locate.bind(replays);
  let asked = 0;
  replays.locate = async (...of) => {
    asked += 1;
    if (asked <= 3) throw new Refusal({ t: 'full', what: 'questions' });
    return await locate(...of);
  };
  await cut.start();
  for (const tries of [1, 2, 3]) {
    await cut.connection.answered();
    assert.deepEqual([asked, cut.kinds], [tries, []]);
    await stream.pass(500);
  }
  await cut.connection.find('upsert');
  await agree(steady, cut);
  assert.equal(asked, 4);
  assert.deepEqual(cut.kinds, ['subscribed', 'status', 'upsert']);
  assert.deepEqual(upsertsOf(cut), upsertsOf(steady).slice(upsertsOf(steady).indexOf(before) + 1));
  assert.deepEqual(stream.faults, []);
});

test('compute threads at capacity for two minutes refuse a resume with CAPACITY', async () => {
  await using stream = await InProcessStream.start();
  const { cut } = await pair(stream);
  await tradeFor(stream, 10);
  cut.cut();
  const { replays } = stream;
  let asked = 0;
  replays.locate = async () => {
    asked += 1;
    throw new Refusal({ t: 'full', what: 'questions' });
  };
  await cut.start();
  for (let tries = 1; tries <= 240; tries += 1) {
    await cut.connection.answered();
    assert.equal(asked, tries);
    await stream.pass(500);
  }
  const { code } = await cut.connection.find('error');
  assert.deepEqual([code, asked], ['CAPACITY', 241]);
  assert.deepEqual(stream.faults, []);
});

test('across a restart of the server a client notices nothing but the reconnect [SUB-14]', async () => {
  const first = await InProcessStream.start();
  const steady = new ResumingClient(() => openClient(first), BARS);
  await steady.start();
  await steady.connection.find('snapshot');
  await tradeFor(first, 30);
  await steady.connection.answered();
  assert.ok(steady.cursor !== undefined);
  await first[Symbol.asyncDispose]();
  const { clock, tape } = first;
  await using second = await InProcessStream.start({ clock, tape });
  await tradeFor(second, 20);
  using back = new ResumingClient(() => openClient(second), BARS);
  for (const message of steady.messages) back.rules.hear(message);
  await back.start({ cursor: steady.cursor });
  await back.connection.find('upsert');
  await back.connection.find('status', ({ state }) => state === 'live');
  using fresh = new ResumingClient(() => openClient(second), BARS);
  await fresh.start();
  await fresh.connection.find('snapshot');
  await agree(fresh, back);
  assert.ok(!back.kinds.includes('reset') && !back.kinds.includes('snapshot'));
});

test('beyond the ring: caught up from history where the rights cover the day, free of charge today [SUB-18]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live_history');
  const steady = new ResumingClient(() => desk.open(key), BARS);
  const cut = new ResumingClient(() => desk.open(key), BARS);
  for (const client of [steady, cut]) {
    await client.start();
    await client.connection.find('snapshot');
  }
  await tradeFor(desk.stream, 10);
  await cut.connection.answered();
  cut.cut();
  for (let minute = 0; minute < 40; minute += 1) {
    await tradeFor(desk.stream, 3);
    await desk.stream.pass(57_000);
  }
  await cut.start();
  await cut.connection.find('status', ({ state }) => state === 'live');
  await agree(steady, cut);
  assert.deepEqual(cut.kinds, ['subscribed', 'status', 'upsert', 'status']);
  const [warming] = cut.messages.filter((it) => it.t === 'status');
  assert.ok(
    warming?.t === 'status' && warming.state === 'warming' && warming.lagMs > 39 * MINUTE_MS,
  );
  assert.deepEqual(await desk.units(key), { used: 0, reserved: 0 });
  for (const client of [steady, cut]) client.cut();
});

test('beyond the ring without a right to history: reset cursor_expired, then a snapshot [SUB-19] [EVT-16] [EVT-17]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using client = new ResumingClient(() => desk.open(key), BARS);
  await client.start();
  await client.connection.find('snapshot');
  await tradeFor(desk.stream, 10);
  await client.connection.answered();
  client.cut();
  await tradeFor(desk.stream, 10);
  await desk.stream.jump(40 * MINUTE_MS);
  await tradeFor(desk.stream, 10);
  await client.start();
  const reset = await client.connection.find('reset');
  assert.deepEqual(reset, { t: 'reset', sub: SUB, reason: 'cursor_expired' });
  await client.connection.find('snapshot');
  const order = client.kinds.filter((kind) => kind !== 'status');
  assert.deepEqual(order.slice(0, 3), ['subscribed', 'reset', 'snapshot']);
});

test('a cursor is as old as the first message missed, not as its trade, whatever the plan [SUB-17]', async () => {
  await using desk = await AccountStream.start();
  const [key, other] = [await desk.key('live'), await desk.key('live')];
  using client = new ResumingClient(() => desk.open(key), BARS);
  await client.start();
  await client.connection.find('snapshot');
  await tradeFor(desk.stream, 5);
  await desk.stream.pass(20_000);
  await client.connection.answered();
  client.cut();
  while (desk.stream.gateway.metrics.connections > 0) await turn();
  // Nothing happens until the topic is closed; then one trade, and a new topic.
  await desk.stream.jump(40 * MINUTE_MS);
  assert.equal(desk.stream.hub.counts.topics, 0);
  await tradeFor(desk.stream, 1);
  using fresh = new ResumingClient(() => desk.open(other), BARS);
  await fresh.start();
  await fresh.connection.find('snapshot');
  await client.start();
  await client.connection.find('status', ({ state }) => state === 'live');
  await client.connection.answered();
  assert.deepEqual(client.kinds, ['subscribed', 'status', 'upsert', 'status']);
  await agree(fresh, client);
});

test('no key is shown by a cursor what it may not see: ahead of its delay is a reset [SEC-25] [DET-13]', async () => {
  await using desk = await AccountStream.start();
  const [live, sandbox] = [await desk.key('live'), await desk.key('sandbox')];
  using quick = new ResumingClient(() => desk.open(live), BARS);
  await quick.start();
  await quick.connection.find('snapshot');
  await tradeFor(desk.stream, 30);
  await quick.connection.answered();
  using late = new ResumingClient(() => desk.open(sandbox), BARS);
  await late.start({ cursor: quick.cursor! });
  await late.connection.answered();
  assert.deepEqual(late.kinds, []);
  for (let second = 0; second < 10; second += 1) {
    await desk.stream.pass(1_000);
    await late.connection.answered();
  }
  await late.connection.find('snapshot');
  assert.deepEqual(late.kinds.slice(0, 3), ['reset', 'subscribed', 'status']);
  const [reset] = late.messages;
  assert.ok(reset?.t === 'reset' && reset.reason === 'entitlement_changed');
  assert.equal(late.state.size, 0);
});

test('a cursor nobody was given is refused after a while, one of another epoch is reset [DET-23]', async () => {
  await using stream = await InProcessStream.start();
  const { cut } = await pair(stream);
  await tradeFor(stream, 5);
  await cut.connection.answered();
  const { cursor } = cut;
  await cut.start({ cursor: `${DAY}.999.1` });
  await cut.connection.answered();
  for (let looks = 1; cut.kinds.length === 0; looks += 1) {
    assert.ok(looks < 20);
    await stream.pass(1_000);
    await cut.connection.answered();
  }
  const error = await cut.connection.find('error');
  assert.equal(error.code, 'INVALID_PARAMETERS');
  assert.deepEqual(
    error.errors?.map(({ path }) => path),
    ['/from/cursor'],
  );
  const floor = { contract: 'AA', indicator: null, cursor: `${DAY}.6.0` } as const;
  stream.floors.push({ ...floor, reason: 'engine_changed' });
  await cut.start({ cursor: cursor! });
  await cut.connection.find('snapshot');
  assert.deepEqual(cut.kinds, ['reset', 'subscribed', 'status', 'snapshot']);
  assert.equal((await cut.connection.find('reset')).reason, 'engine_changed');
});

test('a cursor of the contract an alias meant before gets reset roll [DET-22] [INST-03]', async () => {
  await using stream = await InProcessStream.start();
  using client = new ResumingClient(() => openClient(stream), { ...BARS, instrument: 'A.c.0' });
  await client.start();
  await client.connection.find('snapshot');
  await tradeFor(stream, 5);
  await client.connection.answered();
  client.cut();
  await stream.jump(13 * 60 * MINUTE_MS);
  await client.start();
  await client.connection.find('snapshot');
  assert.deepEqual(client.kinds.slice(0, 3), ['reset', 'subscribed', 'status']);
  assert.equal((await client.connection.find('reset')).reason, 'roll');
  assert.equal((await client.connection.find('subscribed')).contract, 'BB');
  // By its symbol the same cursor is good.
  using other = await openClient(stream);
  other.send(subscribe('a', { ...BARS, from: { cursor: `${DAY}.5.1` } }));
  await other.find('status', ({ state }) => state === 'closed');
  assert.ok(!other.kinds().includes('reset'));
});

function upsertsOf({ messages }: ResumingClient): readonly string[] {
  return messages.flatMap((it) => (it.t === 'upsert' ? [it.cursor] : []));
}
