import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BillingRig, DAY_NS } from '../../testing/billing/billing-rig.ts';
import type { OutgoingMail } from '../mail/mailer.ts';

async function buyer(rig: BillingRig): Promise<string> {
  const account = await rig.account();
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  const email = `${account}@example.com`;
  await rig.store.people.setOwner(call, account, { email, key: email });
  return account;
}

/** The mails sent from here on. */
async function mailed(rig: BillingRig): Promise<readonly OutgoingMail[]> {
  const before = rig.mails.length;
  await rig.owed.look();
  return rig.mails.slice(before);
}

function subjects(mails: readonly OutgoingMail[]): readonly string[] {
  return mails.map(({ subject }) => subject);
}

test('a cancellation is mailed with the date on which it takes effect, once for each time', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const { id } = await rig.bought(account);
  await mailed(rig);
  await rig.billing.setCancelled(account, id, true);
  await rig.billing.setCancelled(account, id, true);
  const [mail, ...others] = await mailed(rig);
  assert.deepEqual(others, []);
  assert.equal(mail?.subject, 'Your subscription is cancelled');
  assert.match(mail.text, /stays active until 21 October 2026, 14:13 UTC/);
  assert.match(mail.text, /Nothing is charged\sagain/);
  await rig.billing.setCancelled(account, id, false);
  assert.deepEqual(await mailed(rig), []);
  await rig.billing.setCancelled(account, id, true);
  assert.deepEqual(subjects(await mailed(rig)), ['Your subscription is cancelled']);
});

test('a cancellation that was taken back before its mail left is not mailed', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const { id } = await rig.bought(account);
  await mailed(rig);
  await rig.billing.setCancelled(account, id, true);
  await rig.billing.setCancelled(account, id, false);
  assert.deepEqual(await mailed(rig), []);
});

test('a cancellation that a withdrawal or a refund overtook is not mailed: nothing stays active', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const withdrawn = await rig.bought(account);
  await mailed(rig);
  await rig.billing.setCancelled(account, withdrawn.id, true);
  const who = { accountId: account, sessionId: null, address: null, name: null };
  await rig.billing.withdrawals.declare({ ...who, orderId: withdrawn.id });
  await rig.billing.withdrawals.idle();
  assert.deepEqual(subjects(await mailed(rig)), ['We received your withdrawal']);
  const refunded = await rig.bought(account);
  await mailed(rig);
  await rig.billing.setCancelled(account, refunded.id, true);
  await rig.deliver(rig.provider.change(refunded.ref, { state: 'refunded' }));
  assert.deepEqual(subjects(await mailed(rig)), ['Your order was refunded and has ended']);
});

test('a renewal is mailed once with its receipt: what was charged, for which period, and where the receipt is', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const order = await rig.bought(account);
  await mailed(rig);
  rig.pass(30n * DAY_NS);
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  const [charge, ...before] = rig.provider.receiptsOf.get(order.ref)!;
  const url = 'https://pay.example/receipt/2';
  rig.provider.receiptsOf.set(order.ref, [{ ...charge!, taxMinor: 1_261, url }, ...before]);
  await rig.deliver(rig.provider.notify(order.ref));
  const [mail, ...others] = await mailed(rig);
  assert.deepEqual(others, []);
  assert.equal(mail?.subject, 'Your subscription is renewed');
  assert.equal(mail.link, url);
  assert.match(mail.text, /Charged: +€79\.00, of which €12\.61 is tax/);
  assert.match(mail.text, /Paid until: +20 November 2026/);
  assert.match(mail.text, new RegExp(order.id));
});

test('a renewal whose provider does not answer is mailed all the same, and leads to the receipts in the portal', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const order = await rig.bought(account);
  await mailed(rig);
  rig.pass(30n * DAY_NS);
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  rig.provider.trouble = 'down';
  const [mail] = await mailed(rig);
  assert.equal(mail?.link, 'https://tapeloom.example/orders');
  assert.match(mail.text, /Price: +€79\.00 a month, tax included/);
});

test('a declined renewal is mailed once, with the end of the rights and the way to another card', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const order = await rig.bought(account);
  await mailed(rig);
  rig.pass(30n * DAY_NS);
  await rig.deliver(rig.provider.change(order.ref, { state: 'past_due' }));
  await rig.deliver(rig.provider.notify(order.ref));
  const [mail, ...others] = await mailed(rig);
  assert.deepEqual(others, []);
  assert.equal(mail?.subject, 'Your renewal was declined');
  assert.match(mail.text, /Update your card/);
  assert.match(mail.text, /28 October 2026/);
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  assert.deepEqual(subjects(await mailed(rig)), ['Your subscription is renewed']);
});

test('a refund, a dispute and an end that nobody asked for are mailed, with what the account has left', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const live = await rig.bought(account);
  const history = await rig.bought(account, { offer: 'history' });
  await mailed(rig);
  await rig.deliver(rig.provider.change(live.ref, { state: 'refunded' }));
  await rig.deliver(rig.provider.notify(live.ref));
  const [refund, ...others] = await mailed(rig);
  assert.deepEqual(others, []);
  assert.equal(refund?.subject, 'Your order was refunded and has ended');
  assert.match(refund.text, /no longer has Live/);
  await rig.deliver(rig.provider.change(history.ref, { state: 'disputed' }));
  const [dispute] = await mailed(rig);
  assert.equal(dispute?.subject, 'Your order has ended: its payment is disputed');
  const again = await rig.bought(account);
  await mailed(rig);
  await rig.deliver(rig.provider.change(again.ref, { state: 'ended' }));
  assert.deepEqual(subjects(await mailed(rig)), ['Your order has ended']);
});

test('an end that was announced by a cancellation, and what a withdrawal ends, is not mailed a second time', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const order = await rig.bought(account);
  await rig.billing.setCancelled(account, order.id, true);
  await mailed(rig);
  rig.pass(30n * DAY_NS);
  await rig.deliver(rig.provider.change(order.ref, { state: 'ended' }));
  assert.deepEqual(await mailed(rig), []);
});

test('an order that the operator writes off is mailed to its buyer', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const order = await rig.bought(account);
  await mailed(rig);
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  await rig.store.orders.writeOff(call, order.id, 'lost');
  assert.deepEqual(subjects(await mailed(rig)), ['Your order has ended']);
});

test('the confirmation says whom the order is billed to', async () => {
  await using rig = await BillingRig.open();
  const account = await buyer(rig);
  const billTo = { name: 'Weber GmbH', address: 'Spulengasse 3\n10115 Berlin', taxId: 'DE1' };
  await rig.bought(account, { billTo });
  const [mail] = await mailed(rig);
  assert.match(mail!.text, /Billed to: +Weber GmbH, Spulengasse 3, 10115 Berlin/);
  assert.match(mail!.text, /Tax id: +DE1/);
});
