import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { HandedOutKey } from '../../../testing/accounts/memory-accounts.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY } from '../../../testing/stream/in-process-stream.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';

const LIVE: Grant = { plan: 'live', until: null };
const HISTORY: Grant = { plan: 'history', until: null };

async function grant(desk: AccountStream, key: HandedOutKey, grants: readonly Grant[]) {
  const call = { now: desk.clock.now(), actor: { kind: 'operator' } } as const;
  await desk.accounts.store.setGrants(call, key.record.accountId, grants);
}

test('a plan that shrinks ends the youngest connections with 4003 ENTITLEMENTS_CHANGED and the youngest subscriptions with QUOTA_EXCEEDED [CLOSE-10] [SEC-26]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live_history');
  using oldest = await desk.open(key);
  using second = await desk.open(key);
  using third = await desk.open(key);
  for (const sub of ['a', 'b', 'c']) oldest.send(subscribe(sub));
  await oldest.find('snapshot', ({ sub }) => sub === 'c');
  await grant(desk, key, []);
  for (const client of [second, third]) {
    assert.deepEqual(await client.closed, { code: 4003, reason: 'ENTITLEMENTS_CHANGED' });
    assert.ok(!client.kinds().includes('error'));
  }
  const error = await oldest.find('error');
  assert.deepEqual([error.sub, error.code], ['c', 'QUOTA_EXCEEDED']);
  await oldest.answered();
  assert.equal(oldest.kinds().filter((kind) => kind === 'error').length, 1);
  assert.equal(oldest.socket.readyState, oldest.socket.OPEN);
});

test('a plan that shrinks or ends counts test keys at both limits, the oldest first [SEC-26]', async () => {
  await using desk = await AccountStream.start();
  const live = await desk.key('live');
  const trial = await desk.accounts.key(live.record.accountId, { environment: 'test' });
  using first = await desk.open(live);
  using tester = await desk.open(trial);
  using third = await desk.open(live);
  tester.send(subscribe('t'));
  await tester.find('snapshot');
  await grant(desk, live, [LIVE, HISTORY]);
  for (const client of [first, tester, third]) await client.answered();
  // One connection is left to the account: the oldest, whichever key it is of.
  await grant(desk, live, [HISTORY]);
  for (const client of [tester, third]) {
    assert.deepEqual(await client.closed, { code: 4003, reason: 'ENTITLEMENTS_CHANGED' });
  }
  await first.answered();
  await desk.end(first, live);
  using alone = await desk.open(trial);
  alone.send(subscribe('t'));
  await alone.find('snapshot');
  await grant(desk, live, []);
  await alone.answered();
  assert.equal(alone.socket.readyState, alone.socket.OPEN);
  assert.ok(!alone.kinds().includes('error') && !alone.kinds().includes('reset'));
});

test('a changed delay resets: entitlement_changed, subscribed, status, snapshot; then the other stream [EVT-07] [EVT-16] [SEC-25]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using client = await desk.open(key);
  desk.stream.trade({ price: 100 });
  await desk.stream.pass(2_000);
  client.send(subscribe('a'));
  const before = await client.find('snapshot');
  assert.equal(before.items.length, 1);
  const start = client.messages.length;

  await grant(desk, key, [HISTORY]);
  await client.find('snapshot', (message) => message !== before);
  const [reset, subscribed, ...rest] = client.messages.slice(start);
  assert.deepEqual(reset, { t: 'reset', sub: 'a', reason: 'entitlement_changed' });
  assert.ok(subscribed?.t === 'subscribed' && subscribed.topic.includes('delaySeconds=600'));
  // The topic is new: it may warm up first. Ten minutes ago nothing had been traded.
  assert.deepEqual(
    rest.map(({ t }) => t).filter((t, index, all) => t !== all[index - 1]),
    ['status', 'snapshot'],
  );
  const delayed = rest.at(-1);
  assert.ok(delayed?.t === 'snapshot' && delayed.items.length === 0);

  const end = client.messages.length;
  await grant(desk, key, [LIVE]);
  const after = await client.find('snapshot', (it) => client.messages.indexOf(it) >= end);
  assert.deepEqual(
    client.messages.slice(end, end + 4).map((message) => message.t),
    ['reset', 'subscribed', 'status', 'snapshot'],
  );
  assert.deepEqual(after.items, before.items);
});

test('a planned roll is told a day ahead with its time, a restart without one [EVT-24] [EVT-25]', async () => {
  await using desk = await AccountStream.start();
  using client = await desk.open(await desk.key('live'));
  client.send(subscribe('a', { instrument: 'A.c.0' }));
  client.send(subscribe('b', { instrument: 'A.c.0' }));
  const notice = await client.find('notice');
  assert.deepEqual([notice.kind, notice.effectiveAt], ['roll', `${epochNs(addDays(DAY, 1), 0)}`]);
  await client.find('snapshot', ({ sub }) => sub === 'b');
  assert.equal(client.kinds().filter((kind) => kind === 'notice').length, 1);
  void desk.stream.gateway.drain();
  const restart = await client.find('notice', ({ kind }) => kind === 'reconnect');
  assert.equal(restart.effectiveAt, undefined);
  assert.equal((await client.closed).code, 1013);
});
