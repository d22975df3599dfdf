import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { BillingRig, DAY_NS, MINUTE_NS, START } from '../../testing/billing/billing-rig.ts';
import { signed } from '../../testing/billing/scripted-provider.ts';
import { openSqliteAccountStore } from '../accounts/store/sqlite/sqlite-account-store.ts';
import type { ProviderObject } from './payment-provider.ts';

test('a webhook counts only if its bytes are signed, and each event once [SEC-29]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account);
  const { headers, body } = rig.provider.pay(order.ref, rig.now, 30);
  const receive = (bytes: Uint8Array, to = 'test') => rig.payments.receive(to, headers, bytes);
  const spaced = Buffer.from(` ${Buffer.from(body).toString()}`);
  assert.equal(await receive(spaced), 'unsigned', 'the same JSON in other bytes');
  assert.equal(await rig.payments.receive('test', {}, body), 'unsigned');
  assert.equal(await receive(body, 'nobody'), 'unknown-provider');
  assert.deepEqual(await rig.store.orders.eventsOf(order), []);
  assert.equal(await rig.planOf(account), 'sandbox');
  assert.equal(await receive(body), 'received');
  await rig.payments.idle();
  assert.equal(await rig.planOf(account), 'live');
  const asked = rig.provider.calls.length;
  const again = await Promise.all(Array.from({ length: 20 }, () => receive(body)));
  await rig.payments.idle();
  assert.deepEqual(new Set(again), new Set(['known']));
  assert.equal(rig.provider.calls.length, asked, 'nobody is asked for what is known');
  const told = await rig.store.audit({ accountId: account, limit: 100 });
  assert.equal(told.filter(({ kind }) => kind === 'order.changed').length, 1);
});

test('what a webhook says is not believed: the provider is asked, and what it says decides [SEC-29]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account);
  const claims = { state: 'paid', paidUntil: '9999999999999999999' };
  await rig.deliver(signed({ id: 'evt_x', ref: order.ref, at: '1', ...claims }));
  assert.equal(await rig.planOf(account), 'sandbox');
  assert.equal((await rig.store.orders.eventsOf(order))[0]?.state, 'done');
});

test('a failed renewal keeps the rights for seven days, is mailed once, and a late payment saves it', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.bought(account);
  rig.pass(30n * DAY_NS);
  await rig.deliver(rig.provider.change(order.ref, { state: 'past_due' }));
  await rig.deliver(rig.provider.notify(order.ref));
  rig.pass(7n * DAY_NS - 1n);
  assert.equal(await rig.planOf(account), 'live');
  rig.pass(1n);
  assert.equal(await rig.planOf(account), 'sandbox');
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  assert.equal(await rig.planOf(account), 'live');
});

test('a refund and a dispute end the rights at once; a dispute that was won brings them back', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const live = await rig.bought(account);
  const history = await rig.bought(account, { offer: 'history' });
  await rig.deliver(rig.provider.change(history.ref, { state: 'disputed' }));
  assert.equal(await rig.planOf(account), 'live');
  await rig.deliver(rig.provider.change(live.ref, { state: 'refunded' }));
  assert.equal(await rig.planOf(account), 'sandbox');
  await rig.deliver(rig.provider.change(history.ref, { state: 'paid' }));
  assert.equal(await rig.planOf(account), 'history');
});

test('a provider that is down leaves the event pending, and the next round settles it', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account);
  rig.provider.trouble = 'down';
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  const [pending] = await rig.store.orders.eventsOf(order);
  assert.equal(pending?.state, 'pending');
  assert.equal(pending?.tryAt, START + MINUTE_NS);
  assert.equal(pending?.fault, 'test is down');
  rig.pass(MINUTE_NS);
  const round = await rig.payments.reconcile();
  assert.deepEqual({ events: round.events, failed: round.failed }, { events: 1, failed: 3 });
  assert.equal((await rig.store.orders.eventsOf(order))[0]?.tryAt, START + 3n * MINUTE_NS);
  rig.provider.trouble = 'none';
  rig.pass(2n * MINUTE_NS);
  assert.equal((await rig.payments.reconcile()).changed, 1);
  assert.equal((await rig.store.orders.eventsOf(order))[0]?.state, 'done');
  assert.equal(await rig.planOf(account), 'live');
});

test('an answer that makes no sense changes nothing, and the event stays', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account);
  const lies: readonly Partial<ProviderObject>[] = [
    { orderId: 'ord_another' },
    { ref: 'another' },
    { kind: 'purchase' },
    { state: 'fine' as 'paid' },
    { revision: -1 },
    { revision: 0.5 },
    { paidUntil: null },
    { paidAt: null },
    { paidUntil: 5 as unknown as EpochNs },
    { paidUntil: (START + 4_000n * DAY_NS) as EpochNs },
    { cancelAtPeriodEnd: undefined as unknown as boolean },
  ];
  rig.provider.pay(order.ref, rig.now, 30);
  for (const lie of lies) {
    rig.provider.lie = (truth) => ({ ...truth, ...lie });
    await rig.deliver(rig.provider.notify(order.ref));
    const [event] = await rig.store.orders.eventsOf(order);
    assert.equal(event?.state, 'pending', String(Object.keys(lie)));
    assert.equal(await rig.planOf(account), 'sandbox');
  }
  rig.provider.lie = () => null;
  await rig.deliver(rig.provider.notify(order.ref));
  assert.equal((await rig.again(order)).revision, -1);
  rig.provider.lie = null;
  rig.pass(MINUTE_NS);
  await rig.payments.reconcile();
  const events = await rig.store.orders.eventsOf(order);
  assert.deepEqual(new Set(events.map(({ state }) => state)), new Set(['done']));
  assert.equal(await rig.planOf(account), 'live');
});

test('a webhook that comes before its order is kept until the order is there', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  await rig.deliver(signed({ id: 'early', ref: 'test_ord_early', at: '1' }));
  const event = async () => (await rig.store.orders.findEvents({ id: 'early' }))[0];
  assert.equal((await event())?.state, 'pending');
  for (let round = 0; round < 5; round += 1) {
    rig.pass(60n * MINUTE_NS);
    await rig.payments.reconcile();
  }
  assert.equal((await event())?.state, 'unknown');
  assert.deepEqual(await rig.store.orders.ordersOf(account), []);
});

test('a payment whose order is not here any more, as after a restore, is named in the log once', async () => {
  const gone = await BillingRig.open();
  const order = await gone.order(await gone.account());
  await using rig = BillingRig.over(
    await openSqliteAccountStore(':memory:'),
    gone.clock,
    gone.provider,
  );
  await gone[Symbol.asyncDispose]();
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  assert.deepEqual(rig.logged, [], 'its order may be under way');
  for (let round = 0; round < 5; round += 1) {
    rig.pass(60n * MINUTE_NS);
    await rig.payments.reconcile();
  }
  assert.equal(rig.logged.length, 1, rig.logged.join());
  assert.match(rig.logged[0]!, new RegExp(`"ref":"${order.ref}".*belongs to no order here`));
});

test('lost webhooks are made up for: a payment within a minute, a renewal at its time, a refund within a day', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const live = await rig.order(account);
  const history = await rig.order(account, { offer: 'history' });
  rig.provider.pay(live.ref, rig.now, 30);
  rig.provider.pay(history.ref, rig.now, 0);
  rig.pass(MINUTE_NS);
  assert.equal((await rig.payments.reconcile()).changed, 2);
  assert.equal(await rig.planOf(account), 'live_history');
  assert.equal((await rig.payments.reconcile()).orders, 0, 'nothing is asked without a reason');
  rig.pass(30n * DAY_NS);
  rig.provider.pay(live.ref, rig.now, 30);
  await rig.payments.reconcile();
  assert.equal((await rig.again(live)).paidUntil, START + MINUTE_NS + 60n * DAY_NS);
  rig.provider.change(history.ref, { state: 'refunded' });
  rig.pass(DAY_NS);
  await rig.payments.reconcile();
  assert.equal(await rig.planOf(account), 'live');
});

test('an event of which the provider knows nothing yet is asked about again a minute later', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.bought(account);
  const before = rig.provider.object(order.ref);
  const webhook = rig.provider.change(order.ref, { state: 'refunded' });
  rig.provider.lie = () => before;
  await rig.deliver(webhook);
  assert.equal(await rig.planOf(account), 'live');
  rig.provider.lie = null;
  rig.pass(MINUTE_NS);
  await rig.payments.reconcile();
  assert.equal(await rig.planOf(account), 'sandbox');
});

test('a provider that is down is left alone after three failures, and does not hold up another', async () => {
  await using rig = await BillingRig.open();
  const accounts = await Promise.all(Array.from({ length: 8 }, () => rig.account()));
  for (const account of accounts.slice(1)) await rig.order(account);
  const elsewhere = await rig.order(accounts[0]!, { country: 'US' });
  rig.provider.trouble = 'down';
  rig.provider.calls.length = 0;
  rig.other.pay(elsewhere.ref, rig.now, 30);
  rig.pass(MINUTE_NS);
  await rig.payments.reconcile();
  assert.equal(rig.provider.calls.length, 3);
  assert.equal(await rig.planOf(accounts[0]!), 'live');
});

test('a payment owes its confirmation in the transaction that hears of it, and it counts as sent once the mail server took it', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  await rig.store.people.setOwner(call, account, { email: 'a@example.com', key: 'a@example.com' });
  const order = await rig.bought(account);
  assert.equal(order.confirmedAt, null);
  assert.deepEqual(await rig.store.mails.waitingMails(rig.now), { count: 1, due: 1 });
  assert.equal(order.lookAt, rig.now + DAY_NS, 'the mail asks for no look of its own');
  await rig.deliver(rig.provider.notify(order.ref));
  rig.pass(MINUTE_NS);
  await rig.owed.look();
  assert.deepEqual(
    rig.mails.map(({ id, to }) => [id, to]),
    [[`order-confirmed.${order.id}`, 'a@example.com']],
  );
  assert.equal((await rig.again(order)).confirmedAt, rig.now);
  await rig.deliver(rig.provider.notify(order.ref));
  await rig.owed.look();
  assert.equal(rig.mails.length, 1, 'it is sent once');
});

test('a deleted account gets nothing for what is paid late, and is charged nothing more', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const won = await rig.bought(account);
  await rig.deliver(rig.provider.change(won.ref, { state: 'disputed' }));
  const owner = { now: rig.now, actor: { kind: 'owner' } } as const;
  await rig.store.people.askDeletion(owner, account, null);
  rig.pass(14n * DAY_NS);
  await rig.store.people.deleteAccount({ ...owner, now: rig.now }, account);
  rig.provider.trouble = 'down';
  await rig.deliver(rig.provider.change(won.ref, { state: 'paid' }));
  rig.provider.trouble = 'none';
  rig.pass(MINUTE_NS);
  await rig.payments.reconcile();
  assert.deepEqual((await rig.store.findAccount(account))!.grants, []);
  assert.equal(rig.provider.object(won.ref).state, 'ended');
  rig.pass(MINUTE_NS);
  await rig.payments.reconcile();
  assert.equal((await rig.again(won)).state, 'ended');
});

test('events are known for 90 days, and then forgotten', async () => {
  await using rig = await BillingRig.open();
  const order = await rig.bought(await rig.account());
  rig.pass(90n * DAY_NS);
  await rig.payments.reconcile();
  assert.equal((await rig.store.orders.eventsOf(order)).length, 1);
  rig.pass(1n);
  await rig.payments.reconcile();
  assert.equal((await rig.store.orders.eventsOf(order)).length, 0);
});
