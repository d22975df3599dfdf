import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaddleRig } from '../../../testing/billing/paddle/paddle-rig.ts';
import {
  DAY_MS,
  fetched,
  MINUTE_MS,
  NEVER,
  paid,
  started,
  stateOf,
} from '../../../testing/billing/provider-rig.ts';
import { UpstreamError } from '../payment-provider.ts';

const subscriptionOf = (rig: PaddleRig, ref: string) =>
  rig.local.books.transactions.get(ref)!.subscription_id!;

test('a renewal that fails is past due with the time that was paid for, and paid again once the card works', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const ref = await paid(rig);
  const before = await fetched(rig, ref);
  const id = subscriptionOf(rig, ref);
  books.brokenCards.add(id);
  await rig.pass(33 * DAY_MS);
  const late = await fetched(rig, ref);
  assert.deepEqual([late.state, late.paidUntil], ['past_due', before.paidUntil]);
  const [due] = await rig.provider.receipts(ref, NEVER);
  assert.deepEqual([due!.state, due!.url], ['failed', null]);
  books.mendCard(id);
  const mended = await fetched(rig, ref);
  assert.equal(mended.state, 'paid');
  assert.ok(mended.paidUntil! > before.paidUntil!);
  books.brokenCards.add(id);
  await rig.pass(60 * DAY_MS);
  const over = await fetched(rig, ref);
  assert.deepEqual([over.state, over.paidUntil], ['ended', mended.paidUntil]);
});

test('what is paused grants nothing, and is ended for good when it is to be', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const ref = await paid(rig);
  await rig.pass(DAY_MS);
  books.pause(subscriptionOf(rig, ref));
  const paused = await fetched(rig, ref);
  assert.deepEqual([paused.state, paused.paidUntil], ['ended', rig.now()]);
  await rig.provider.cancelNow(ref, NEVER);
  assert.equal(books.subscriptions.get(subscriptionOf(rig, ref))!.status, 'canceled');
});

test('a chargeback of an earlier month counts, and so does a bank that only warns', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const ref = await paid(rig);
  await rig.pass(32 * DAY_MS);
  const first = books.transactions.get(ref)!;
  const warning = { action: 'chargeback_warning', status: 'approved', reason: 'fraud' } as const;
  books.adjust(first, { ...warning, totalMinor: 7_900 });
  assert.equal(await stateOf(rig, ref), 'disputed');
  books.adjust(first, { ...warning, action: 'chargeback_warning_reverse', totalMinor: 7_900 });
  assert.equal(await stateOf(rig, ref), 'paid', 'reversed, though the first is not marked yet');
  const { id } = books.adjust(first, { ...warning, action: 'chargeback', totalMinor: 7_900 });
  assert.equal(await stateOf(rig, ref), 'disputed');
  books.setAdjustment(id, 'reversed');
  assert.equal(await stateOf(rig, ref), 'paid');
  // The previous month was refunded; the current one is paid.
  books.refund({ transaction_id: ref, reason: 'goodwill', type: 'full' });
  assert.equal(await stateOf(rig, ref), 'paid');
  await rig.refund(ref, null);
  assert.equal(await stateOf(rig, ref), 'refunded');
  await rig.pass(32 * DAY_MS);
  assert.equal(await stateOf(rig, ref), 'paid', 'it renewed');
});

test('a refund is pending until Paddle decides; what it rejects is said, and a key is found after a restart', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  books.refunds = 'in-ten-minutes';
  const ref = await paid(rig, 'purchase');
  const wish = { key: 'withdrawal:ord_1', amountMinor: null };
  for (let times = 0; times < 2; times += 1) {
    assert.equal(await rig.provider.refund(ref, wish, NEVER), 'pending');
    rig.restart();
  }
  assert.equal(books.adjustments.size, 1);
  assert.equal(await stateOf(rig, ref), 'paid', 'nothing was given back yet');
  const other = { key: 'another', amountMinor: null };
  assert.equal(await rig.provider.refund(ref, other, NEVER), 'pending', 'by somebody else');
  await rig.pass(11 * MINUTE_MS);
  assert.equal(await stateOf(rig, ref), 'refunded');
  assert.equal(await rig.provider.refund(ref, wish, NEVER), 'done');
  books.refunds = 'held';
  const rejected = await paid(rig, 'purchase');
  assert.equal(await rig.provider.refund(rejected, wish, NEVER), 'pending');
  const [, { id }] = [...books.adjustments.values()] as [object, { id: string }];
  books.setAdjustment(id, 'rejected');
  await assert.rejects(rig.provider.refund(rejected, wish, NEVER), new RegExp(`rejected.*${id}`));
  assert.equal(await stateOf(rig, rejected), 'paid');
});

test('a refund of the month that is asked for again after a renewal is the same one', async () => {
  await using rig = await PaddleRig.open();
  const ref = await paid(rig);
  const wish = { key: 'withdrawal:ord_2', amountMinor: 500 };
  assert.equal(await rig.provider.refund(ref, wish, NEVER), 'done');
  await rig.pass(32 * DAY_MS);
  rig.restart();
  assert.equal(await rig.provider.refund(ref, wish, NEVER), 'done');
  assert.equal(rig.local.books.adjustments.size, 1);
  const [newest] = await rig.provider.receipts(ref, NEVER);
  assert.equal(newest!.refundedMinor, 0);
});

test('events lead to the checkout from its renewals, subscription and adjustments, and from nothing else', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const ref = await paid(rig);
  await rig.pass(32 * DAY_MS);
  await rig.refund(ref, 100);
  const renewal = books.newestCharge(ref).id;
  const [adjustment] = books.adjustments.keys();
  for (const id of [ref, renewal, subscriptionOf(rig, ref), adjustment!]) {
    assert.equal(await rig.provider.locate(id, NEVER), ref, id);
  }
  const foreign = books.addTransaction({
    items: books.transactions.get(ref)!.items.map(({ price }) => ({
      quantity: 1,
      price: { ...price!, product: price!.product! },
    })),
    custom_data: { theirs: 'x' },
  });
  const [customer] = books.customers.keys();
  const unknown = ['txn', 'sub', 'adj', 'evt'].map((it) => `${it}_${'z'.repeat(26)}`);
  for (const id of [foreign.id, customer!, ...unknown]) {
    assert.equal(await rig.provider.locate(id, NEVER), null, id);
  }
});

test('a status that is not known, or a member that is missing, is named, and grants nothing', async () => {
  await using rig = await PaddleRig.open();
  const running = await paid(rig);
  const bought = await paid(rig, 'purchase');
  const open = await started(rig);
  await rig.refund(bought, 100);
  const unpaid = { billed_at: null, payments: [] };
  const cases: readonly [string, RegExp, RegExp, string, unknown][] = [
    [open, /sent frozen as transaction\.status/, TRANSACTION, 'status', 'frozen'],
    [open, /left out custom_data\.tapeloom_order/, TRANSACTION, 'custom_data', null],
    [open, /items that differ/, TRANSACTION, 'items.0.quantity', 2],
    [
      open,
      /billing_cycle that is not/,
      TRANSACTION,
      'items.0.price.billing_cycle.interval',
      'year',
    ],
    [open, /price\.unit_price\.amount/, TRANSACTION, 'items.0.price.unit_price.amount', '79.00'],
    [running, /sent asleep as subscription\.status/, SUBSCRIPTION, 'status', 'asleep'],
    [
      running,
      /left out subscription\.current_billing_period\.ends_at/,
      SUBSCRIPTION,
      'current_billing_period',
      null,
    ],
    [running, /left out transaction\.subscription_id/, TRANSACTION, 'subscription_id', null],
    [bought, /left out transaction\.billed_at/, TRANSACTION, '', unpaid],
    [bought, /left out details\.totals\.grand_total/, TRANSACTION, 'details', null],
    [bought, /sent maybe as adjustment\.status/, ADJUSTMENTS, '0.status', 'maybe'],
    [bought, /sent gift as adjustment\.action/, ADJUSTMENTS, '0.action', 'gift'],
    [bought, /adjustment\.totals\.total/, ADJUSTMENTS, '0.totals.total', null],
  ];
  for (const [ref, message, where, member, value] of cases) {
    rig.local.lie = (data, path) => (where.test(path) ? withMember(data, member, value) : data);
    const error = await rig.provider.fetch(ref, NEVER).catch((it: unknown) => it);
    assert.ok(error instanceof UpstreamError, String(message));
    assert.match(error.message, message);
  }
});

const TRANSACTION = /^\/transactions\/txn_/;
const SUBSCRIPTION = /^\/subscriptions\/sub_/;
const ADJUSTMENTS = /^\/adjustments$/;

/** A copy with another value for a member; with an empty name, for several members. */
function withMember(data: object, member: string, value: unknown): object {
  if (member === '') return { ...data, ...(value as object) };
  const names = member.split('.');
  const last = names.pop()!;
  let inside = data as Record<string, unknown>;
  for (const name of names) inside = inside[name] as Record<string, unknown>;
  inside[last] = value;
  return data;
}

test('a discount that a buyer entered is another price than the one agreed on', async () => {
  await using rig = await PaddleRig.open();
  const ref = await started(rig);
  const { totals } = rig.local.books.transactions.get(ref)!.details!;
  for (const [discount, price] of [
    ['7900', 0],
    ['1', 7_899],
    ['0', 7_900],
  ] as const) {
    totals!.discount = discount;
    assert.equal((await fetched(rig, ref)).amountMinor, price);
  }
});

test('the page for customers is not opened for a stranger whose address was typed in the payment window', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const ref = await paid(rig);
  const back = 'https://tapeloom.example.com/orders';
  assert.ok((await rig.provider.customerPortal(ref, back, NEVER))?.startsWith('https://'));
  const stranger = books.addCustomer('victim@example.com');
  books.transactions.get(ref)!.customer_id = stranger.id;
  assert.equal(await rig.provider.customerPortal(ref, back, NEVER), null);
});
