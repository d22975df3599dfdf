import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BillingRig, DAY_NS, MINUTE_NS, OFFERS } from '../../testing/billing/billing-rig.ts';
import { createLog } from '../platform/log/log.ts';
import { Billing } from './billing.ts';
import type { OfferBook } from './offer-book.ts';

const log = createLog({ level: 'silent', readable: true, write: () => undefined });

/** The same service after a restart with another file of offers. */
function restarted(rig: BillingRig, changes: Partial<OfferBook>): Billing {
  const offers = { ...OFFERS, ...changes };
  const { store, payments, clock } = rig;
  const publicUrl = () => 'https://tapeloom.example';
  return new Billing({ store, payments, offers: () => offers, publicUrl, clock, log });
}

function wish(accountId: string, changes: Readonly<Record<string, unknown>> = {}) {
  const waiver = { accepted: true, version: '2' };
  const who = { accountId, sessionId: null, address: '192.0.2.7' };
  return { ...who, offer: 'history', country: 'DE', waiver, ...changes };
}

test('a country that moved to another provider takes new accounts along, and leaves the others where they pay [BILL-10]', async () => {
  await using rig = await BillingRig.open();
  const before = await rig.account();
  await rig.bought(before);
  const moved = restarted(rig, { providerOf: () => 'other' });
  const stayed = await moved.checkout(wish(before));
  assert.ok(!('refused' in stayed));
  assert.equal(stayed.provider, 'test');
  const fresh = await moved.checkout(wish(await rig.account()));
  assert.ok(!('refused' in fresh));
  assert.equal(fresh.provider, 'other');
  // The account does not pay from this other country: another provider is rejected as usual.
  const elsewhere = await moved.checkout(wish(before, { country: 'US' }));
  assert.deepEqual(elsewhere, { refused: 'other-provider', provider: 'test' });
});

test('a price that changes while a checkout is open holds for new orders; the open one is paid at its own', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const open = await rig.order(account);
  const prices = OFFERS.prices.map((price) => ({ ...price, amountMinor: price.amountMinor + 100 }));
  const dearer = restarted(rig, { prices });
  await rig.deliver(rig.provider.pay(open.ref, rig.now, 30));
  const paid = await rig.again(open);
  assert.deepEqual([paid.state, paid.amountMinor], ['paid', 7_900]);
  assert.equal(await rig.planOf(account), 'live');
  const other = await dearer.checkout(wish(account));
  assert.ok(!('refused' in other));
  assert.equal(other.amountMinor, 49_100);
  // A provider's answer with another price than the agreed one is rejected.
  rig.provider.lie = (truth) => ({ ...truth, amountMinor: 49_000 });
  await rig.deliver(rig.provider.pay(other.ref, rig.now, 30));
  assert.equal((await rig.again(other)).state, 'open');
  rig.provider.lie = (truth) => ({ ...truth, currency: 'USD' });
  await rig.deliver(rig.provider.notify(other.ref));
  assert.equal((await rig.again(other)).state, 'open');
  rig.provider.lie = (truth) => ({ ...truth, amountMinor: null, currency: null });
  await rig.deliver(rig.provider.notify(other.ref));
  assert.equal((await rig.again(other)).state, 'paid', 'one that cannot say is believed');
});

test('a waiver that changes while a checkout is open leaves its consent; the next checkout needs the new one [BILL-08]', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const open = await rig.order(account);
  const renewed = restarted(rig, { waiver: { version: '3', text: 'Another text.' } });
  const old = await renewed.checkout(wish(account));
  assert.ok('refused' in old && old.refused === 'waiver');
  await rig.deliver(rig.provider.pay(open.ref, rig.now, 30));
  assert.equal((await rig.again(open)).waiverVersion, '2');
  assert.equal((await rig.store.orders.consentOf(open))?.text, OFFERS.waiver.text);
  const waiver = { accepted: true, version: '3' };
  const agreed = await renewed.checkout(wish(account, { waiver }));
  assert.ok(!('refused' in agreed));
  assert.equal((await rig.store.orders.consentOf(agreed))?.text, 'Another text.');
});

test('an order that nobody paid is given up by its buyer, and one that was paid is not', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const open = await rig.order(account);
  assert.deepEqual(await rig.billing.drop('acc_other', open.id), { refused: 'not-found' });
  for (let times = 0; times < 2; times += 1) {
    const dropped = await rig.billing.drop(account, open.id);
    assert.ok(!('refused' in dropped) && dropped.state === 'failed');
  }
  const again = await rig.order(account);
  assert.notEqual(again.id, open.id);
  rig.provider.ignoresCancels = true;
  assert.deepEqual(await rig.billing.drop(account, again.id), { refused: 'confirming' });
  rig.provider.pay(again.ref, rig.now, 30);
  assert.deepEqual(await rig.billing.drop(account, again.id), { refused: 'paid' });
  assert.equal(await rig.planOf(account), 'live', 'and what was paid is heard');
});

test('an order whose payment the provider lost is written off, ends for good, and can be bought again', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.bought(account);
  rig.provider.lie = () => null;
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  const written = await rig.store.orders.writeOff(call, order.id, 'their ticket 4711');
  assert.ok(!('refused' in written) && written.state === 'ended');
  await rig.payments.reconcile();
  assert.equal((await rig.again(order)).lookAt, null, 'it is not asked about any more');
  assert.equal(await rig.planOf(account), 'sandbox');
  assert.deepEqual(await rig.store.orders.writeOff(call, order.id, 'again'), { refused: 'over' });
  assert.deepEqual(await rig.store.orders.writeOff(call, 'ord_x', 'x'), { refused: 'not-found' });
  const [told] = (await rig.store.audit({ accountId: account, limit: 100 })).filter(
    ({ kind }) => kind === 'order.written-off',
  );
  assert.equal(told?.details.reason, 'their ticket 4711');
  // The provider finds and reports it again: nothing is granted twice.
  rig.provider.lie = null;
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  assert.equal(await rig.planOf(account), 'sandbox');
  const [event] = await rig.store.orders.findEvents({ id: 'evt_2' });
  assert.deepEqual([event?.state, event?.fault], ['unknown', 'its order was written off']);
  await rig.bought(account);
  assert.equal(await rig.planOf(account), 'live');
  // An account without other orders is not bound to a provider that loses payments.
  assert.ok(!('refused' in (await rig.checkout(account, { offer: 'history' }))));
});

test('receipts are those of the account, asked for once in a while, and the page for the card is the provider’s', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account);
  const { receipts } = rig.billing;
  assert.deepEqual(await receipts.receiptsOf(account, order.id), []);
  assert.deepEqual(await receipts.portalOf(account, order.id), { refused: 'none' });
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  const receipt = { id: 'r1', at: rig.now, totalMinor: 7_900, taxMinor: 1_261, refundedMinor: 0 };
  const one = {
    ...receipt,
    currency: 'EUR',
    state: 'paid',
    url: 'https://pay.example/r1',
  } as const;
  rig.provider.receiptsOf.set(order.ref, [one]);
  const asked = () => rig.provider.calls.filter((call) => call === 'receipts').length;
  for (let times = 0; times < 5; times += 1) {
    assert.deepEqual(await receipts.receiptsOf(account, order.id), [one]);
  }
  assert.equal(asked(), 1);
  assert.equal(await receipts.receiptsOf('acc_other', order.id), null);
  rig.pass(MINUTE_NS);
  for (const lie of [
    { url: 'http://pay.example/r1' },
    { url: 'javascript:alert(1)' },
    { totalMinor: -1 },
    { refundedMinor: 8_000 },
    { currency: 'euro' },
    { state: 'fine' as 'paid' },
  ]) {
    rig.provider.receiptsOf.set(order.ref, [{ ...one, ...lie }]);
    await assert.rejects(receipts.receiptsOf(account, order.id), /listed receipts/);
  }
  rig.provider.portal = 'https://pay.example/portal';
  assert.deepEqual(await receipts.portalOf(account, order.id), { url: rig.provider.portal });
  assert.deepEqual(await receipts.portalOf('acc_other', order.id), { refused: 'not-found' });
  for (const lie of ['file:///etc/passwd', 'javascript:alert(1)', 'http://pay.example/portal']) {
    rig.provider.portal = lie;
    await assert.rejects(receipts.portalOf(account, order.id), /page for customers/);
  }
});

test('events are found by the name the provider uses, and listed ones an hour back and no further', async () => {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  const order = await rig.order(account);
  rig.provider.pay(order.ref, rig.now, 30);
  rig.provider.located.set('sub_1', order.ref);
  rig.provider.told.length = 0;
  rig.provider.told.push(
    { id: 'old', objectRef: 'sub_1', at: (rig.now - 61n * MINUTE_NS) as typeof rig.now },
    { id: 'new', objectRef: 'sub_1', at: (rig.now - 59n * MINUTE_NS) as typeof rig.now },
    { id: 'foreign', objectRef: 'sub_2', at: rig.now },
  );
  assert.equal((await rig.payments.reconcile()).listed, 2);
  assert.equal(await rig.planOf(account), 'live');
  assert.deepEqual(
    (await rig.store.orders.eventsOf(order)).map(({ id, state }) => [id, state]),
    [['new', 'done']],
  );
  assert.deepEqual(await rig.store.orders.findEvents({ id: 'old' }), []);
  rig.pass(MINUTE_NS);
  await rig.payments.reconcile();
  const [foreign] = await rig.store.orders.findEvents({ id: 'foreign' });
  assert.equal(foreign?.state, 'unknown', 'asked about twice, and then never again');
  rig.pass(2n * DAY_NS);
  rig.provider.trouble = 'down';
  const { listedUntil } = (await rig.store.orders.findListing('test'))!;
  await rig.payments.reconcile();
  assert.equal((await rig.store.orders.findListing('test'))!.listedUntil, listedUntil);
  rig.provider.trouble = 'none';
  rig.pass(5n * MINUTE_NS);
  await rig.payments.reconcile();
  assert.ok((await rig.store.orders.findListing('test'))!.listedUntil > listedUntil);
});
