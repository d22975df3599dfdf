import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaddleRig } from '../../../testing/billing/paddle/paddle-rig.ts';
import { testPaymentProvider } from '../../../testing/billing/payment-provider.contract.ts';
import { PaymentsOverRig } from '../../../testing/billing/payments-over-rig.ts';
import { HOUR_MS, NEVER } from '../../../testing/billing/provider-rig.ts';
import { Withdrawer } from '../../../testing/billing/withdrawals.contract.ts';

testPaymentProvider('paddle', () => PaddleRig.open());

test('paddle: the refund of a withdrawal that Paddle has yet to decide is asked for once, and settled when it is approved', async () => {
  await using rig = await PaddleRig.open();
  await using over = await PaymentsOverRig.open(rig);
  const { books } = rig.local;
  const ada = await Withdrawer.afterSixDays(over);
  books.refunds = 'held';
  const { state, amountMinor } = await ada.declare();
  assert.equal(state, 'pending');
  assert.deepEqual(await ada.receipts(), [['paid', 7_900, 0]], 'nothing came back yet');
  assert.equal((await over.again(ada.order)).state, 'ended', 'nothing waits for the money');
  assert.equal((await ada.later(25 * HOUR_MS)).state, 'pending');
  const [asked, ...others] = books.adjustments.values();
  assert.deepEqual(others, [], 'it was asked for once');
  books.setAdjustment(asked!.id, 'approved');
  assert.equal((await ada.later(HOUR_MS)).state, 'done');
  assert.deepEqual(await ada.receipts(), [['paid', 7_900, amountMinor]]);
});

test('paddle: the refund of a withdrawal that Paddle rejects is left to the operator, and seen when it is given back by hand', async () => {
  await using rig = await PaddleRig.open();
  await using over = await PaymentsOverRig.open(rig);
  const { books } = rig.local;
  const ada = await Withdrawer.afterSixDays(over);
  books.refunds = 'held';
  const { amountMinor } = await ada.declare();
  const [asked] = books.adjustments.values();
  books.setAdjustment(asked!.id, 'rejected');
  const rejected = await ada.later(HOUR_MS);
  assert.equal(rejected.state, 'by_hand');
  assert.match(rejected.fault!, /rejected/);
  assert.equal(await over.planOf(ada.accountId), 'sandbox', 'it stays withdrawn');
  books.refunds = 'approved';
  await rig.refund(ada.order.ref, amountMinor);
  assert.equal((await ada.later(7 * HOUR_MS)).state, 'done');
  assert.deepEqual(await ada.receipts(), [['paid', 7_900, amountMinor]]);
});

test('paddle: a refund is found by its key, by a machine that did not make it too', async () => {
  await using rig = await PaddleRig.open();
  await using over = await PaymentsOverRig.open(rig);
  const { order } = await Withdrawer.afterSixDays(over);
  const { findRefund } = rig.provider;
  assert.ok(findRefund !== null);
  assert.equal(await findRefund(order.ref, 'one', NEVER), null);
  rig.local.books.refunds = 'held';
  await rig.provider.refund(order.ref, { key: 'one', amountMinor: 100 }, NEVER);
  await over.restart();
  assert.equal(await findRefund(order.ref, 'one', NEVER), 'pending');
  assert.equal(await findRefund(order.ref, 'two', NEVER), null);
});
