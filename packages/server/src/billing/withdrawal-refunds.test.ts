/** The refund, whatever the provider, the bank or the operator did meanwhile. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig, DAY_NS, MINUTE_NS } from '../../testing/billing/billing-rig.ts';
import {
  buyer,
  HOUR_NS,
  passAndCarryOut,
  withdraw,
  withdrawalOf,
} from '../../testing/billing/withdrawing-buyer.ts';

test('a renewal that was charged meanwhile comes back whole, and webhooks of it grant nothing', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.pass(10n * DAY_NS);
  rig.provider.trouble = 'down';
  await withdraw(ada);
  // The provider renews before it receives the end.
  rig.pass(DAY_NS);
  const webhook = rig.provider.pay(ada.order.ref, rig.now, 30);
  rig.provider.trouble = 'none';
  await rig.deliver(webhook);
  assert.equal((await rig.again(ada.order)).state, 'paid');
  assert.equal(await rig.planOf(ada.accountId), 'sandbox');
  await rig.billing.withdrawals.carryOut();
  assert.deepEqual(
    rig.provider.refunds.map(({ amountMinor }) => amountMinor),
    [7_900],
  );
  const after = await withdrawalOf(ada);
  // A part of the earlier charge is due too, but a provider refunds only from the newest.
  assert.equal(after.state, 'by_hand');
  assert.match(after.fault ?? '', /earlier charge/);
});

test('what the operator gave back meanwhile is not given back again', async () => {
  for (const [given, asked] of [
    [null, []],
    [1_000, [6_900]],
  ] as const) {
    await using rig = await BillingRig.open();
    const ada = await buyer(rig);
    rig.provider.trouble = 'down';
    await withdraw(ada);
    rig.provider.trouble = 'none';
    rig.provider.giveBack(ada.order.ref, given);
    await passAndCarryOut(rig, HOUR_NS);
    const amounts = rig.provider.refunds.map(({ amountMinor }) => amountMinor);
    assert.deepEqual(amounts, asked);
    assert.equal((await withdrawalOf(ada)).state, 'done');
    assert.equal(rig.provider.receiptsOf.get(ada.order.ref)?.[0]?.refundedMinor, 7_900);
  }
});

test('a refund that was done though its answer was lost is found, and not asked for again', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const { provider } = rig;
  const { refund } = provider;
  let lost = 0;
  provider.refund = async (...args) => {
    await refund.apply(provider, args);
    lost += 1;
    throw new Error('the line broke');
  };
  rig.pass(12n * DAY_NS);
  await withdraw(ada);
  assert.equal((await withdrawalOf(ada)).state, 'open');
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  assert.equal(lost, 1);
  assert.equal(provider.receiptsOf.get(ada.order.ref)?.[0]?.refundedMinor, 4_740);
});

test('a provider that decides later, or has nothing to give, is seen by the operator until it is settled', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.provider.refundOutcome = 'pending';
  await withdraw(ada);
  assert.equal((await withdrawalOf(ada)).state, 'pending');
  rig.provider.refundOutcome = 'nothing';
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'by_hand');
  assert.deepEqual(rig.billing.withdrawals.waiting, { by_hand: 1 });
  rig.provider.giveBack(ada.order.ref, null);
  await passAndCarryOut(rig, 6n * HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('a refund that is rejected after it was pending, and counted by then, is the operator’s to settle', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.pass(12n * DAY_NS);
  rig.provider.refundOutcome = 'pending';
  await withdraw(ada);
  const { ref } = ada.order;
  const before = rig.provider.receiptsOf.get(ref)!;
  rig.provider.giveBack(ref, 4_740);
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'pending', 'nobody has the money yet');
  rig.provider.refundOutcome = 'rejected';
  rig.provider.receiptsOf.set(ref, before);
  await passAndCarryOut(rig, HOUR_NS);
  const { state, fault } = await withdrawalOf(ada);
  assert.deepEqual([state, fault], ['by_hand', 'it was rejected']);
  rig.provider.giveBack(ref, 4_740);
  await passAndCarryOut(rig, 6n * HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('a part that was given back by hand after the decision counts, and no more than is due comes back', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.pass(12n * DAY_NS);
  const { provider } = rig;
  const { refund } = provider;
  provider.refund = () => Promise.reject(new Error('the line broke'));
  await withdraw(ada);
  provider.refund = refund;
  provider.giveBack(ada.order.ref, 3_000);
  await passAndCarryOut(rig, HOUR_NS);
  assert.deepEqual(
    provider.refunds.map(({ amountMinor }) => amountMinor),
    [1_740],
  );
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('an invoice over nothing beside the charge does not swallow the refund', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const { ref } = ada.order;
  const [charge] = rig.provider.receiptsOf.get(ref)!;
  rig.provider.receiptsOf.set(ref, [{ ...charge!, id: 'nothing', totalMinor: 0 }, charge!]);
  const asked: (number | null)[] = [];
  rig.provider.refund = async (_ref, { amountMinor }) => {
    asked.push(amountMinor);
    return 'done';
  };
  await withdraw(ada);
  assert.deepEqual(asked, [7_900]);
});

test('what a bank pays days after the withdrawal from its order was settled comes back whole', async () => {
  await using rig = await BillingRig.open();
  const accountId = await rig.account();
  const order = await rig.order(accountId);
  const ada = { rig, accountId, order };
  await withdraw(ada);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  rig.pass(3n * DAY_NS);
  rig.provider.pay(order.ref, rig.now, 30);
  await rig.deliver(rig.provider.change(order.ref, { state: 'ended', paidUntil: rig.now }));
  assert.equal(await rig.planOf(accountId), 'sandbox');
  assert.equal((await withdrawalOf(ada)).state, 'open');
  await rig.billing.withdrawals.carryOut();
  assert.deepEqual(
    rig.provider.refunds.map(({ amountMinor }) => amountMinor),
    [7_900],
  );
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('two machines that carry out one withdrawal at the same time ask for one refund', async () => {
  await using rig = await BillingRig.open();
  const other = BillingRig.over(rig.store, rig.clock, rig.provider);
  const ada = await buyer(rig);
  rig.pass(DAY_NS);
  rig.provider.trouble = 'down';
  await withdraw(ada);
  rig.provider.trouble = 'none';
  const { provider } = rig;
  const refund = provider.refund.bind(provider);
  let asked = 0;
  // Like a provider without idempotency keys: every request refunds.
  provider.refund = (...wish) => {
    asked += 1;
    return refund(...wish);
  };
  rig.pass(HOUR_NS);
  await Promise.all([rig, other].map(({ billing }) => billing.withdrawals.carryOut()));
  assert.equal(asked, 1);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

/** Two nodes, each with a clock, on one database and one provider without idempotency keys: every request refunds. */
async function twoNodes() {
  const rig = await BillingRig.open();
  const { provider } = rig;
  provider.hasRefundKeys = false;
  const other = BillingRig.over(rig.store, new ManualClock(rig.now), provider);
  const ada = await buyer(rig);
  rig.pass(DAY_NS);
  provider.trouble = 'down';
  await withdraw(ada);
  provider.trouble = 'none';
  rig.pass(HOUR_NS);
  other.clock.advanceTo(rig.now);
  return {
    rig,
    other,
    ada,
    provider,
    [Symbol.asyncDispose]: async () => {
      // Everything that waits for the provider gives up.
      rig.pass(MINUTE_NS);
      await rig[Symbol.asyncDispose]();
    },
  };
}

test('a node that stands still while it asks for a refund keeps every other node from asking too', async () => {
  await using nodes = await twoNodes();
  const { rig, other, ada, provider } = nodes;
  const refund = provider.refund.bind(provider);
  const hold = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let asked = 0;
  provider.refund = async (...wish) => {
    asked += 1;
    reached.resolve();
    if (asked === 1) await hold.promise;
    return refund(...wish);
  };
  const standing = rig.billing.withdrawals.carryOut();
  await reached.promise;
  for (let minute = 0; minute < 30; minute += 1) await passAndCarryOut(other, MINUTE_NS);
  assert.equal(asked, 1);
  hold.resolve();
  await standing;
  rig.clock.advanceTo(other.now);
  await passAndCarryOut(other, 2n * HOUR_NS);
  assert.equal(asked, 1);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  assert.equal(provider.refunds.length, 1);
});

test('a node that stood still before it asked for a refund finds that another has taken over, and does not ask', async () => {
  await using nodes = await twoNodes();
  const { rig, other, ada, provider } = nodes;
  const receipts = provider.receipts.bind(provider);
  const hold = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  provider.receipts = async (...wish) => {
    const before = await receipts(...wish);
    reached.resolve();
    await hold.promise;
    return before;
  };
  const standing = rig.billing.withdrawals.carryOut();
  await reached.promise;
  provider.receipts = receipts;
  await passAndCarryOut(other, 2n * MINUTE_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  hold.resolve();
  await standing;
  await rig.billing.withdrawals.idle();
  assert.equal(provider.refunds.length, 1);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('of a node that never came back from asking for a refund another finds the refund, or leaves it to the operator', async () => {
  for (const wasMade of [true, false]) {
    await using nodes = await twoNodes();
    const { rig, other, ada, provider } = nodes;
    const refund = provider.refund.bind(provider);
    const reached = Promise.withResolvers<void>();
    provider.refundOutcome = 'pending';
    provider.refund = async (...wish) => {
      if (wasMade) await refund(...wish);
      reached.resolve();
      return new Promise(() => {});
    };
    const standing = rig.billing.withdrawals.carryOut();
    await reached.promise;
    let asked = 0;
    provider.refund = (...wish) => {
      asked += 1;
      return refund(...wish);
    };
    for (let minute = 0; minute < 150; minute += 5) await passAndCarryOut(other, 5n * MINUTE_NS);
    assert.equal(asked, 0);
    const { state, fault } = await withdrawalOf(ada);
    assert.equal(state, wasMade ? 'pending' : 'by_hand');
    if (!wasMade) assert.match(fault ?? '', /check in test whether it was made/);
    provider.refundOutcome = 'done';
    provider.giveBack(ada.order.ref, 7_900);
    await passAndCarryOut(other, 6n * HOUR_NS);
    assert.equal((await withdrawalOf(ada)).state, 'done');
    assert.equal(asked, 0);
    rig.clock.advanceTo(other.now);
    await standing;
    assert.equal((await withdrawalOf(ada)).state, 'done', 'who comes back late changes nothing');
  }
});
