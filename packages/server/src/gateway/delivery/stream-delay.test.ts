import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY } from '../../../testing/stream/in-process-stream.ts';
import { type StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';

const MINUTE_MS = 60_000;
const HOUR_NS = 3_600_000_000_000;

/** Everything of a subscription that carries a cursor, without `hb`, which has its own rhythm. */
function published(client: StreamClient): readonly object[] {
  return client.messages.flatMap((it) =>
    it.t === 'upsert' || it.t === 'remove' ? [{ ...it, sub: '' }] : [],
  );
}

test('a sandbox, a history and a test key get the messages of a live one, ten minutes later [PLAN-08] [PLAN-09]', async () => {
  await using desk = await AccountStream.start();
  const { stream } = desk;
  const live = [await desk.key('live'), await desk.key('live_history')];
  const delayed = [
    await desk.key('sandbox'),
    await desk.key('history'),
    await desk.key('live_history', { environment: 'test' }),
  ];
  await stream.pass(15 * MINUTE_MS);
  const open = async (keys: typeof live) =>
    Promise.all(
      keys.map(async (key) => {
        const client = await desk.open(key);
        client.send(subscribe('a'));
        await client.find('snapshot');
        return client;
      }),
    );
  const [liveClients, delayedClients] = [await open(live), await open(delayed)];
  const all = [...liveClients, ...delayedClients];
  const answered = () => Promise.all(all.map((client) => client.answered()));
  for (let step = 0; step < 20; step += 1) {
    stream.trade({ price: 100 + step }, { price: 90 - step });
    await stream.pass(1_000);
  }
  await answered();
  const [first] = liveClients;
  assert.equal(published(first!).length, 20);
  for (const client of delayedClients) assert.deepEqual(published(client), []);
  await stream.pass(9 * MINUTE_MS + 39_000);
  await answered();
  for (const client of delayedClients) assert.deepEqual(published(client), []);
  // Ten minutes and two seconds after the first trade.
  await stream.pass(3_000);
  await answered();
  for (const client of delayedClients) assert.ok(published(client).length > 0);
  await stream.pass(27_000);
  await answered();
  const twentieth = published(first!)[19];
  for (const client of delayedClients) {
    assert.deepEqual(published(client)[19], twentieth);
    assert.ok(published(client).length < published(first!).length);
  }
  await stream.pass(10 * MINUTE_MS);
  await answered();
  for (const client of all)
    assert.deepEqual(published(client).slice(0, 21), published(first!).slice(0, 21));
  for (const client of all) client[Symbol.dispose]();
});

test('snapshot, heartbeat and status of a delayed stream are those of the tape it sees', async () => {
  await using desk = await AccountStream.start();
  const { stream } = desk;
  await stream.pass(11 * MINUTE_MS);
  stream.trade({ price: 100 });
  await stream.pass(5 * MINUTE_MS);
  stream.trade({ price: 200 });
  await stream.pass(6 * MINUTE_MS);
  using one = await desk.open(await desk.key('sandbox'));
  one.send(subscribe('a'));
  const snapshot = await one.find('snapshot');
  assert.deepEqual(
    snapshot.items.map((it) => (it.data as { close: number }).close),
    [100],
  );
  await stream.pass(5_000);
  const beat = await one.find('hb');
  assert.ok('cursor' in beat);
  // The second trade has rank 2: a position beyond it would reveal that it happened.
  assert.equal(parseCursor(beat.cursor!)?.rank, 1);
  const status = await one.find('status', (it) => it.state === 'live');
  assert.ok(status.lagMs < 1_000);
});

test('the market of a delayed stream opens and closes ten minutes later', async () => {
  await using desk = await AccountStream.start();
  const { stream } = desk;
  using live = await desk.open(await desk.key('live'));
  using late = await desk.open(await desk.key('sandbox'));
  for (const client of [live, late]) {
    client.send(subscribe('a'));
    await client.find('snapshot');
  }
  desk.clock.advanceTo(epochNs(DAY, 20 * HOUR_NS) - 1_000_000_000n);
  stream.promise();
  await stream.pass(2_000);
  await live.find('status', (it) => it.state === 'closed');
  await late.answered();
  assert.ok(!late.messages.some((it) => it.t === 'status' && it.state === 'closed'));
  await stream.pass(10 * MINUTE_MS);
  await late.find('status', (it) => it.state === 'closed');
});

test('an alias of a delayed stream rolls at the midnight it sees', async () => {
  await using desk = await AccountStream.start();
  const { stream } = desk;
  const key = await desk.key('sandbox');
  using live = await desk.open(await desk.key('live'));
  using late = await desk.open(key);
  for (const client of [live, late]) {
    client.send(subscribe('a', { instrument: 'A.c.0' }));
    await client.find('snapshot');
  }
  const contracts = (client: StreamClient) =>
    client.messages.flatMap((it) => ('contract' in it ? [it.contract] : []));
  desk.clock.advanceTo(epochNs(addDays(DAY, 1), 0) + 1_000_000_000n);
  stream.promise();
  await live.find('reset');
  await live.answered();
  await late.answered();
  assert.deepEqual([contracts(live), contracts(late)], [['AA', 'BB'], ['AA']]);
  late.send(subscribe('b', { instrument: 'A.c.0' }));
  await late.find('subscribed', (it) => it.sub === 'b');
  assert.deepEqual(contracts(late), ['AA', 'AA']);
  await stream.pass(10 * MINUTE_MS);
  await late.find('reset', (it) => it.sub === 'b');
  const isBB = (it: object) => 'contract' in it && it.contract === 'BB';
  for (const sub of ['a', 'b']) await late.find('subscribed', (it) => it.sub === sub && isBB(it));
  const snapshot = await late.find('snapshot', (it) => (parseCursor(it.cursor)?.day ?? 0) > DAY);
  assert.equal(parseCursor(snapshot.cursor)?.day, addDays(DAY, 1));
});
