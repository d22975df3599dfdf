import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseCursor } from '@tapeloom/core/cursor';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { HandedOutKey } from '../../../testing/accounts/memory-accounts.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY, type InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { ResumingClient } from '../../../testing/stream/resuming-client.ts';
import { StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { Charges } from '../../accounts/limits/charges.ts';
import type { GatewayOptions } from '../connection/gateway.ts';

const HOUR_MS = 3_600_000;
const HOUR_NS = HOUR_MS * 1e6;
const BARS = { params: { size: 10 } };
/** Trades before the first of these days ends, and on the next one. */
const YESTERDAY_TRADES = 120;
const TODAY_TRADES = 40;
const MIDNIGHT = `${epochNs(addDays(DAY, 1), 0)}`;
const START_OF_TRADING = `${epochNs(DAY, 11 * HOUR_NS)}`;

async function tradeFor(stream: InProcessStream, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    stream.trade({ price: 100 + (second % 9) });
    await stream.pass(1_000);
  }
}

/** Trades yesterday from 11:00 on, and today from 10:30 on. */
async function twoDays(
  pages = { bytes: 2_000, trades: 30 },
  charges?: GatewayOptions['charges'],
): Promise<AccountStream> {
  const desk = await AccountStream.start({ pages, ...(charges && { charges }) });
  await tradeFor(desk.stream, YESTERDAY_TRADES);
  await desk.stream.jump(23.5 * HOUR_MS - YESTERDAY_TRADES * 1_000);
  await tradeFor(desk.stream, TODAY_TRADES);
  await desk.stream.pass(30_000);
  return desk;
}

/** The same with small pages, the third of which waits for its reservation until it is let go. */
async function heldDays() {
  const [gate, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let pages = 0;
  const own = () => new Charges(desk.accounts.store, desk.clock);
  const desk: AccountStream = await twoDays(
    { bytes: 1_000, trades: 10 },
    {
      reserve: async (...request) => {
        pages += 1;
        if (pages === 3) {
          held.resolve();
          await gate.promise;
        }
        await own().reserve(...request);
      },
      settle: (...used) => own().settle(...used),
      giveBack: (id) => own().giveBack(id),
    },
  );
  return Object.assign(desk, { holding: held.promise, letGo: gate.resolve });
}

/** A client that started at a time, when it has become live. */
async function startAt(desk: AccountStream, key: HandedOutKey, time: string, more: object = {}) {
  const client = new ResumingClient(() => desk.open(key), { ...BARS, ...more });
  await client.start({ time });
  await client.connection.find('status', ({ state }) => state !== 'warming');
  await client.connection.answered();
  return client;
}

test('from a time before midnight: warming, a snapshot, both days in order, then live [SUB-10] [SUB-20] [SUB-21] [COUNT-16] [COUNT-18]', async () => {
  await using desk = await twoDays();
  const key = await desk.key('live_history');
  using client = await startAt(desk, key, START_OF_TRADING);
  const states = client.messages.flatMap((it) => (it.t === 'status' ? [it.state] : []));
  assert.deepEqual(states, ['warming', 'live']);
  assert.deepEqual(client.kinds, ['subscribed', 'status', 'snapshot', 'upsert', 'status']);
  const updates = client.messages.filter((it) => it.t === 'upsert');
  const finals = updates.filter((it) => it.final);
  assert.equal(finals.length, (YESTERDAY_TRADES + TODAY_TRADES) / 10);
  const days = new Set(updates.map(({ cursor }) => parseCursor(cursor)!.day));
  assert.deepEqual([...days], [DAY, addDays(DAY, 1)]);
  assert.deepEqual(await desk.units(key), { used: YESTERDAY_TRADES, reserved: 0 });
  // Live from here on, like any other client.
  using other = new ResumingClient(() => desk.open(key), BARS);
  await other.start();
  await other.connection.find('snapshot');
  await tradeFor(desk.stream, 25);
  for (const each of [client, other]) await each.connection.answered();
  for (const [id, data] of other.state) assert.equal(client.state.get(id), data);
  assert.equal(new Set(updates.map(({ cursor }) => cursor)).size, updates.length);
  assert.deepEqual(desk.stream.faults, []);
});

test('what lies after midnight is free, and so is a live start [COUNT-17] [COUNT-18]', async () => {
  await using desk = await twoDays();
  const key = await desk.key('live_history');
  for (const time of [MIDNIGHT, '2026-11-13', '2026-11-13T10:30:10Z']) {
    using client = await startAt(desk, key, time);
    assert.ok(client.state.size > 0, time);
  }
  // Today needs no right to history.
  const live = await desk.key('live');
  using today = await startAt(desk, live, MIDNIGHT);
  assert.ok(today.kinds.includes('upsert'));
  using now = new ResumingClient(() => desk.open(key), BARS);
  await now.start('live');
  await now.connection.find('snapshot');
  assert.deepEqual(await desk.units(key), { used: 0, reserved: 0 });
  assert.deepEqual(await desk.units(live), { used: 0, reserved: 0 });
});

test('a catch-up from an old cursor costs what the same range from a time costs [COUNT-20] [SUB-18]', async () => {
  await using desk = await twoDays();
  const key = await desk.key('live_history');
  using client = new ResumingClient(() => desk.open(key), BARS);
  client.rules.hear({ t: 'snapshot', sub: 'r', cursor: `${DAY}.50.1`, items: [] });
  await client.start({ cursor: `${DAY}.50.1` });
  await client.connection.find('status', ({ state }) => state === 'live');
  assert.deepEqual(client.kinds, ['subscribed', 'status', 'upsert', 'status']);
  assert.deepEqual(await desk.units(key), { used: YESTERDAY_TRADES - 50, reserved: 0 });
});

test('only pages that were sent are charged, and a replay that begins again is charged again [COUNT-19] [COUNT-21]', async () => {
  await using desk = await heldDays();
  const key = await desk.key('live_history');
  using one = await desk.open(key);
  one.send(subscribe('a', { ...BARS, from: { time: START_OF_TRADING } }));
  await desk.holding;
  one.send({ t: 'unsubscribe', sub: 'a' });
  await one.answered();
  const count = one.kinds('a').length;
  desk.letGo();
  while (desk.accounts.callCount('voidReservation') === 0) await turn();
  const first = await desk.units(key);
  const updates = one.messages.filter((it) => it.t === 'upsert');
  assert.deepEqual(first, { used: parseCursor(updates.at(-1)!.cursor)!.rank, reserved: 0 });
  assert.equal(one.kinds('a').length, count);
  // From the original time, as a client does that had no cursor yet.
  using again = await startAt(desk, key, START_OF_TRADING);
  assert.deepEqual(await desk.units(key), { used: first.used + YESTERDAY_TRADES, reserved: 0 });
  assert.ok(again.state.size > 0);
});

test('a budget that ends in the middle of a replay ends that subscription alone [EVT-20]', async () => {
  await using desk = await twoDays({ bytes: 1_000, trades: 10 });
  const key = await desk.key('sandbox');
  const { store } = desk.accounts;
  const now = desk.clock.now();
  // All but 35 units are used.
  const reservation = {
    id: 'earlier',
    accountId: key.record.accountId,
    budget: 'computeUnits',
    amount: 50_000_000 - 35,
    limit: 50_000_000,
    testLimit: null,
    keyId: key.record.id,
    period: '2026-11',
    expiresAt: now,
  } as const;
  await store.reserve(now, reservation);
  await store.settle(now, 'earlier', { amount: reservation.amount });
  using one = await desk.open(key);
  one.send(subscribe('live'));
  await one.find('snapshot');
  one.send(subscribe('a', { ...BARS, from: { time: START_OF_TRADING } }));
  const error = await one.find('error');
  assert.deepEqual([error.sub, error.code], ['a', 'QUOTA_EXCEEDED']);
  const { used, reserved } = await desk.units(key);
  assert.ok(used > reservation.amount && used <= 50_000_000 && reserved === 0);
  await one.answered();
  assert.equal(desk.stream.gateway.metrics.subscriptions, 1);
});

test('history a plan does not cover is FORBIDDEN, a future time is invalid, a gap NOT_COVERED [PLAN-05]', async () => {
  await using desk = await twoDays();
  const cases = [
    ['live', START_OF_TRADING, 'FORBIDDEN'],
    ['sandbox', '2026-11-01', 'FORBIDDEN'],
    ['live_history', '2026-11-14', 'INVALID_PARAMETERS'],
    ['live_history', '2026-11-11T11:00:00Z', 'NOT_COVERED'],
  ] as const;
  for (const [plan, time, code] of cases) {
    using one = await desk.open(await desk.key(plan));
    one.send(subscribe('a', { ...BARS, from: { time } }));
    assert.equal((await one.find('error', (it) => it.sub === 'a')).code, code, `${plan} ${time}`);
  }
});

test('a delayed stream is replayed no further than its delay allows [SEC-25] [PLAN-08]', async () => {
  await using desk = await twoDays();
  const key = await desk.key('sandbox');
  using client = await startAt(desk, key, START_OF_TRADING);
  const days = client.messages.flatMap((it) =>
    it.t === 'upsert' ? [parseCursor(it.cursor)!.day] : [],
  );
  assert.deepEqual([...new Set(days)], [DAY]);
  assert.equal((await desk.units(key)).used, YESTERDAY_TRADES);
  await desk.stream.pass(700_000);
  await client.connection.answered();
  const late = client.messages.filter((it) => it.t === 'upsert' && it.final);
  assert.equal(late.length, (YESTERDAY_TRADES + TODAY_TRADES) / 10);
});

test('confirmed starts in the past too, with exactly the final messages', async () => {
  await using desk = await twoDays();
  const key = await desk.key('live_history');
  using all = await startAt(desk, key, START_OF_TRADING);
  using sure = await startAt(desk, key, START_OF_TRADING, { mode: 'confirmed' });
  const finals = (client: ResumingClient) =>
    client.messages.filter((it) => it.t === 'upsert' && it.final);
  assert.deepEqual(finals(sure), finals(all));
  assert.ok(sure.messages.every((it) => it.t !== 'upsert' || it.final));
});

test('an hb in the middle of a replay carries a cursor that loses nothing [EVT-23]', async () => {
  await using desk = await heldDays();
  const key = await desk.key('live_history');
  using client = new ResumingClient(() => desk.open(key), BARS);
  await client.start({ time: START_OF_TRADING });
  await desk.holding;
  await desk.stream.pass(5_000);
  const { cursor } = await client.connection.find('hb', (it) => it.cursor !== undefined);
  assert.equal(cursor, client.cursor);
  assert.ok(client.messages.every((it) => it.t !== 'status' || it.state === 'warming'));
  await client.start();
  desk.letGo();
  await client.connection.find('status', ({ state }) => state === 'live');
  await client.connection.answered();
  using whole = await startAt(desk, key, START_OF_TRADING);
  assert.deepEqual(client.state, whole.state);
});

test('many replays on one connection reach live, and a slow reader is not taken for a dead one', async () => {
  await using desk = await twoDays();
  const key = await desk.key('live_history');
  using one = new StreamClient(desk.stream.url, `Bearer ${key.text}`);
  await one.opened();
  const subs = Array.from({ length: 12 }, (_, index) => `s${index}`);
  for (const sub of subs) one.send(subscribe(sub, { from: { time: START_OF_TRADING } }));
  one.socket.pause();
  for (let count = 0; count < 200; count += 1) await turn();
  one.socket.resume();
  for (const sub of subs) await one.find('status', (it) => it.sub === sub && it.state === 'live');
  assert.equal((await desk.units(key)).used, subs.length * YESTERDAY_TRADES);
  assert.deepEqual(desk.stream.faults, []);
});
