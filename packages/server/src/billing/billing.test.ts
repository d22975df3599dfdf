import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { BillingRig, DAY_NS, MINUTE_NS, OFFERS, START } from '../../testing/billing/billing-rig.ts';
import { OwedMailTexts } from '../mail/owed-mail-texts.ts';
import { PROVIDER_MS_MAX } from './asked-provider.ts';
import { UpstreamError } from './payment-provider.ts';

test('live is charged every month, and ends with its period when it was cancelled [BILL-02]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account, { offer: 'live' });
  const [start] = rig.provider.started;
  assert.equal(start?.kind, 'subscription');
  assert.equal(start?.amountMinor, 7_900);
  assert.equal(await rig.planOf(account), 'sandbox', 'an order alone grants nothing');
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  assert.equal(await rig.planOf(account), 'live');
  // Renewed in time, several times.
  for (let month = 0; month < 3; month += 1) {
    rig.pass(30n * DAY_NS);
    await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
    assert.equal(await rig.planOf(account), 'live');
  }
  const cancelled = await rig.billing.setCancelled(account, order.id, true);
  assert.ok('id' in cancelled && cancelled.cancelAtPeriodEnd);
  rig.pass(30n * DAY_NS - 1n);
  assert.equal(await rig.planOf(account), 'live');
  rig.pass(1n);
  assert.equal(await rig.planOf(account), 'sandbox');
});

test('history is charged once and never ends [BILL-03]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  await rig.bought(account, { offer: 'history' });
  assert.equal(rig.provider.started[0]?.kind, 'purchase');
  rig.pass(36_500n * DAY_NS);
  assert.equal(await rig.planOf(account), 'history');
});

test('who has one offer buys the other and holds both; each ends by itself [BILL-04]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const live = await rig.bought(account, { offer: 'live' });
  assert.equal(await rig.planOf(account), 'live');
  const history = await rig.bought(account, { offer: 'history' });
  assert.equal(await rig.planOf(account), 'live_history');
  await rig.deliver(rig.provider.change(live.ref, { state: 'ended' }));
  assert.equal(await rig.planOf(account), 'history');
  await rig.deliver(rig.provider.change(history.ref, { state: 'refunded' }));
  assert.equal(await rig.planOf(account), 'sandbox');
});

test('what operators grant and what is bought stand side by side', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  await rig.bought(account, { offer: 'history' });
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  await rig.store.setGrants(call, account, [{ plan: 'live', until: null }]);
  assert.equal(await rig.planOf(account), 'live_history');
  await rig.store.setGrants(call, account, []);
  assert.equal(await rig.planOf(account), 'history');
});

test('without the waiver, with it not accepted, or with another version there is no order [BILL-07, BILL-08]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const waivers = [
    undefined,
    {},
    { accepted: true },
    { version: '2' },
    { accepted: false, version: '2' },
    { accepted: true, version: '1' },
    { accepted: true, version: '3' },
  ];
  for (const waiver of waivers) {
    const refused = { refused: 'waiver', version: '2' };
    assert.deepEqual(await rig.checkout(account, { waiver }), refused);
  }
  assert.deepEqual(rig.provider.calls, [], 'the provider has not heard of it');
  assert.deepEqual(await rig.store.orders.consentsOf(account), []);
  const current = { accepted: true, version: OFFERS.waiver.version };
  assert.ok('id' in (await rig.checkout(account, { waiver: current })));
});

test('a consent is kept with version, digest of the text, time, address, account and order [SEC-30]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account, { address: '2001:db8::7' });
  assert.deepEqual(await rig.store.orders.consentsOf(account), [
    {
      orderId: order.id,
      accountId: account,
      waiverVersion: '2',
      textSha256: createHash('sha256').update(OFFERS.waiver.text).digest('hex'),
      text: OFFERS.waiver.text,
      at: START,
      address: '2001:db8::7',
    },
  ]);
  const [placed] = (await rig.store.audit({ accountId: account, limit: 10 })).slice(-1);
  assert.equal(placed?.kind, 'order.placed');
  assert.equal(placed?.keyId, 'ses_1');
  assert.equal(placed?.actor, 'owner');
});

test('an offer that is held cannot be bought again, until its rights have ended [BILL-09]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const live = await rig.bought(account, { offer: 'live' });
  const again = await rig.checkout(account);
  assert.ok('refused' in again && again.refused === 'held');
  assert.equal(again.order?.id, live.id);
  await rig.bought(account, { offer: 'history' });
  rig.pass(29n * DAY_NS);
  const later = await rig.checkout(account, { offer: 'history' });
  assert.ok('refused' in later && later.refused === 'held');
  for (const state of ['cancelled', 'past_due'] as const) {
    await rig.deliver(rig.provider.change(live.ref, { state }));
    assert.equal(await rig.planOf(account), 'live_history');
    const meanwhile = await rig.checkout(account);
    assert.ok('refused' in meanwhile && meanwhile.refused === 'held', state);
  }
  await rig.deliver(rig.provider.change(live.ref, { state: 'ended' }));
  assert.ok('id' in (await rig.checkout(account)));
});

test('what an operator granted for good is held; a trial keeps nobody from buying', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  await rig.store.setGrants(call, account, [{ plan: 'live', until: null }]);
  assert.deepEqual(await rig.checkout(account), { refused: 'held', order: null });
  const until = (rig.now + DAY_NS) as typeof rig.now;
  await rig.store.setGrants(call, account, [{ plan: 'live', until }]);
  assert.ok('id' in (await rig.checkout(account)));
});

test('an account stays with its first provider; a checkout that nobody paid binds it for a day [BILL-10]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  await rig.order(account, { country: 'DE' });
  const other = { refused: 'other-provider', provider: 'test' };
  assert.deepEqual(await rig.checkout(account, { country: 'US' }), other);
  assert.ok('id' in (await rig.checkout(account, { country: 'FR' })), 'the same provider');
  rig.pass(DAY_NS);
  assert.ok('id' in (await rig.checkout(account, { country: 'US' })));
  const buyer = await rig.account();
  await rig.bought(buyer, { offer: 'history', country: 'DE' });
  rig.pass(1_000n * DAY_NS);
  assert.deepEqual(await rig.checkout(buyer, { country: 'US' }), other);
  assert.deepEqual(rig.other.started.length, 1);
});

test('an unknown offer or country is refused before anybody is asked', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  assert.deepEqual(await rig.checkout(account, { offer: 'x' }), { refused: 'unknown-offer' });
  assert.deepEqual(await rig.checkout(account, { country: 'XX' }), { refused: 'unknown-country' });
  assert.deepEqual(rig.provider.calls, []);
});

test('a double click gives the same open checkout, and so does a second within a minute', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const [one, two] = await Promise.all([rig.order(account), rig.order(account)]);
  assert.equal(one.id, two.id);
  rig.pass(MINUTE_NS - 1n);
  assert.equal((await rig.order(account)).id, one.id);
  assert.equal(rig.provider.started.length, 1);
  assert.equal((await rig.store.orders.consentsOf(account)).length, 1);
});

test('who gave a checkout up is not sent back to it, though its webhook is late', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const old = await rig.order(account);
  rig.provider.change(old.ref, { state: 'failed' });
  const fresh = await rig.order(account);
  assert.notEqual(fresh.id, old.id);
  rig.provider.trouble = 'down';
  assert.equal((await rig.order(account)).id, fresh.id);
  rig.provider.trouble = 'none';
  rig.provider.pay(fresh.ref, rig.now, 30);
  const held = await rig.checkout(account);
  assert.ok('refused' in held && held.refused === 'held');
});

test('who comes back later gets a new checkout, and the old one can no longer be paid', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const old = await rig.order(account);
  rig.pass(MINUTE_NS);
  const fresh = await rig.order(account);
  assert.notEqual(fresh.id, old.id);
  assert.equal((await rig.again(old)).state, 'failed');
  // Another country within the minute is another checkout too.
  const french = await rig.order(account, { country: 'FR' });
  assert.equal((await rig.again(fresh)).state, 'failed');
  // The old one was paid just before, and its webhook is late.
  rig.pass(MINUTE_NS);
  rig.provider.pay(french.ref, rig.now, 30);
  const held = await rig.checkout(account);
  assert.ok('refused' in held && held.refused === 'held');
  assert.equal(await rig.planOf(account), 'live');
  assert.equal(rig.provider.started.length, 3);
});

test('who pays the old checkout just as it is closed has bought it, and pays once', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const old = await rig.order(account);
  rig.pass(MINUTE_NS);
  // The provider reports it as open, and the next moment it is paid.
  rig.provider.lie = (truth) => {
    rig.provider.lie = null;
    rig.provider.pay(old.ref, rig.now, 30);
    return truth;
  };
  const held = await rig.checkout(account);
  assert.ok('refused' in held && held.refused === 'held');
  assert.equal(held.order?.id, old.id);
  assert.equal(rig.provider.object(old.ref).state, 'paid');
  assert.equal(await rig.planOf(account), 'live');
  assert.equal(rig.provider.started.length, 1);
});

test('a subscription that its provider does not end is not bought a second time', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const old = await rig.bought(account);
  rig.pass(37n * DAY_NS);
  await rig.deliver(rig.provider.change(old.ref, { state: 'past_due' }));
  assert.equal(await rig.planOf(account), 'sandbox');
  rig.provider.ignoresCancels = true;
  await assert.rejects(rig.checkout(account), /did not end/);
  rig.provider.ignoresCancels = false;
  assert.ok('id' in (await rig.checkout(account)));
  assert.equal(rig.provider.object(old.ref).state, 'ended');
});

test('the confirmation says of the price what held when it was ordered', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.bought(account);
  const offers = { ...OFFERS, taxIncluded: false, prices: [] };
  const publicUrl = () => 'https://tapeloom.example';
  const mail = await new OwedMailTexts({
    store: rig.store,
    offers,
    publicUrl,
    receiptOf: async () => null,
  }).textOf({
    id: 'order-confirmed',
    kind: 'order-confirmed',
    reader: 'a@example.com',
    orderId: order.id,
    details: {},
    createdAt: rig.now,
    tries: 0,
    takenUntil: rig.now,
  });
  assert.match(mail!.text, /79\.00 a month, tax included/);
});

test('a payment that waits for the bank and cannot be taken back keeps from paying twice', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  await rig.order(account);
  rig.pass(MINUTE_NS);
  rig.provider.ignoresCancels = true;
  assert.deepEqual(await rig.checkout(account), { refused: 'confirming' });
});

test('an account places so many orders a day, and then waits', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  for (let count = 0; count < 20; count += 1) {
    await rig.order(account);
    rig.pass(MINUTE_NS);
  }
  const until = START + DAY_NS;
  assert.deepEqual(await rig.checkout(account), { refused: 'too-many', until });
  rig.pass(DAY_NS - 20n * MINUTE_NS);
  assert.ok('id' in (await rig.checkout(account)));
});

test('a provider that is down, silent or wrong leaves no order and no consent [ERR-36]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const nothing = async (what: string) => {
    assert.deepEqual(await rig.store.orders.ordersOf(account), [], what);
    assert.deepEqual(await rig.store.orders.consentsOf(account), [], what);
  };
  rig.provider.trouble = 'down';
  await assert.rejects(rig.checkout(account), UpstreamError);
  await nothing('down');
  rig.provider.trouble = 'silent';
  const silent = assert.rejects(rig.checkout(account), /test did not answer in 10000 ms/);
  while (rig.clock.timerCount === 0) await new Promise(setImmediate);
  rig.pass(BigInt(PROVIDER_MS_MAX) * 1_000_000n);
  await silent;
  await nothing('silent');
  rig.provider.trouble = 'none';
  for (const lie of [{ url: 'javascript:alert(1)' }, { url: 'here' }, { ref: '' }]) {
    rig.provider.lieAtStart = (truth) => ({ ...truth, ...lie });
    await assert.rejects(rig.checkout(account), UpstreamError);
    await nothing(JSON.stringify(lie));
  }
  rig.provider.lieAtStart = null;
  assert.ok('id' in (await rig.checkout(account)));
});

test('a subscription is cancelled and kept again; what is not running can be neither', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const { id } = await rig.bought(account);
  const cancel = (isCancelled: boolean) => rig.billing.setCancelled(account, id, isCancelled);
  const stateOf = async () => (await rig.billing.orderOf(account, id))?.cancelAtPeriodEnd;
  await cancel(true);
  await cancel(true);
  assert.equal(await stateOf(), true);
  await cancel(false);
  assert.equal(await stateOf(), false);
  assert.equal(rig.provider.calls.filter((call) => call === 'cancelAtPeriodEnd').length, 2);
  rig.provider.ignoresCancels = true;
  await assert.rejects(cancel(true), /did not change/);
  rig.provider.trouble = 'down';
  await assert.rejects(cancel(true), UpstreamError);
  const stranger = await rig.account();
  const foreign = await rig.billing.setCancelled(stranger, id, true);
  assert.deepEqual(foreign, { refused: 'not-found' });
  rig.provider.trouble = 'none';
  const once = await rig.bought(account, { offer: 'history' });
  const refused = await rig.billing.setCancelled(account, once.id, true);
  assert.deepEqual(refused, { refused: 'not-running' });
});

test('before an account goes its subscription ends at the provider, or it has to stay', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const live = await rig.bought(account);
  const history = await rig.order(account, { offer: 'history' });
  rig.provider.trouble = 'down';
  await assert.rejects(rig.billing.beforeDeletion(account), UpstreamError);
  rig.provider.trouble = 'none';
  rig.provider.ignoresCancels = true;
  await assert.rejects(rig.billing.beforeDeletion(account), /did not end/);
  rig.provider.ignoresCancels = false;
  await rig.billing.beforeDeletion(account);
  assert.equal(rig.provider.object(live.ref).state, 'ended');
  assert.equal(rig.provider.object(history.ref).state, 'failed');
  assert.equal(await rig.planOf(account), 'sandbox');
});
