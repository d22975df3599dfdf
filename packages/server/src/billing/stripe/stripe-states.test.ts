import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Stripe from 'stripe';
import {
  checkout,
  DAY_MS,
  fetched,
  HOUR_MS,
  MINUTE_MS,
  NEVER,
  paid,
  started,
  stateOf,
} from '../../../testing/billing/provider-rig.ts';
import { StripeRig } from '../../../testing/billing/stripe/stripe-rig.ts';
import { disputeCharge } from '../../../testing/billing/stripe/stripe-world-billing.ts';
import { RefundRejectedError, UpstreamError } from '../payment-provider.ts';

const open = (options = {}) => StripeRig.open({ isSocket: false, ...options });

/** Replaces every field of this name in an answer. */
function says(field: string, value: unknown): (answer: unknown) => unknown {
  return (answer) =>
    JSON.parse(JSON.stringify(answer), (key, before) => (key === field ? value : before));
}

test('a purchase through a bank is open until the bank says yes, and failed when it says no', async () => {
  await using rig = await open();
  const ref = await started(rig, 'purchase');
  await rig.paid(ref, 'bank');
  assert.equal(await stateOf(rig, ref), 'open', 'the checkout is complete, and nothing is paid');
  await rig.provider.closeCheckout(ref, NEVER);
  assert.equal(await stateOf(rig, ref), 'open', 'it cannot be taken back from the bank');
  assert.deepEqual(
    (await rig.provider.receipts(ref, NEVER)).map(({ state }) => state),
    ['open'],
  );
  await rig.pass(3 * DAY_MS);
  await rig.settle(ref, true);
  const { state, paidAt } = await fetched(rig, ref);
  assert.deepEqual([state, paidAt], ['paid', rig.now()], 'since the money came');
  const failed = await started(rig, 'purchase');
  await rig.paid(failed, 'bank');
  await rig.settle(failed, false);
  assert.equal(await stateOf(rig, failed), 'failed');
});

test('a subscription through a bank is open though Stripe calls it active, and pays from the bank’s yes on', async () => {
  await using rig = await open();
  const ref = await started(rig);
  await rig.paid(ref, 'bank');
  assert.equal(rig.subscriptionOf(ref).status, 'active');
  assert.equal(await stateOf(rig, ref), 'open');
  await rig.provider.closeCheckout(ref, NEVER);
  assert.equal(rig.subscriptionOf(ref).status, 'active', 'what is at the bank is left alone');
  await rig.pass(3 * DAY_MS);
  await rig.settle(ref, true);
  const { state, paidAt } = await fetched(rig, ref);
  assert.deepEqual([state, paidAt], ['paid', rig.now()]);

  const refused = await started(rig);
  await rig.paid(refused, 'bank');
  await rig.settle(refused, false);
  assert.equal(rig.subscriptionOf(refused).status, 'past_due');
  assert.equal(await stateOf(rig, refused), 'open', 'Stripe tries again');
  await rig.provider.closeCheckout(refused, NEVER);
  assert.equal(await stateOf(rig, refused), 'failed');
  const { invoices } = rig.server.world;
  assert.ok(
    invoices.some(({ status }) => status === 'void'),
    'nor can its invoice be paid',
  );
});

test('a renewal is paid for when its invoice is, not when the period begins', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  const { paidUntil } = await fetched(rig, ref);
  const left = Number(paidUntil! - rig.now()) / 1_000_000;
  await rig.pass(left + 30 * MINUTE_MS);
  assert.ok(rig.subscriptionOf(ref).items.data[0]!.current_period_end * 1e9 > Number(paidUntil));
  const draft = await fetched(rig, ref);
  assert.deepEqual([draft.state, draft.paidUntil], ['paid', paidUntil], 'it is a draft so far');
  await rig.pass(HOUR_MS);
  assert.ok((await fetched(rig, ref)).paidUntil! > paidUntil!);
});

test('a declined renewal is past due with the period that was paid, is paid later, or ends it', async () => {
  await using rig = await open();
  for (const isMended of [true, false]) {
    const ref = await paid(rig);
    const { paidUntil } = await fetched(rig, ref);
    const customer = String(rig.subscriptionOf(ref).customer);
    rig.server.world.declined.add(customer);
    await rig.pass(33 * DAY_MS);
    const late = await fetched(rig, ref);
    assert.deepEqual([late.state, late.paidUntil], ['past_due', paidUntil]);
    if (isMended) rig.server.world.declined.delete(customer);
    await rig.pass(20 * DAY_MS);
    const after = await fetched(rig, ref);
    assert.equal(after.state, isMended ? 'paid' : 'ended');
    assert.equal(after.paidUntil! > paidUntil!, isMended);
    await rig.provider.cancelNow(ref, NEVER);
    rig.server.world.declined.delete(customer);
  }
});

test('an end that an operator set by date is a cancellation when the paid period reaches it, and is taken back', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  const { paidUntil } = await fetched(rig, ref);
  const subscription = rig.subscriptionOf(ref);
  const end = Number(paidUntil! / 1_000_000_000n);
  subscription.cancel_at = end + 86_400;
  assert.equal(await stateOf(rig, ref), 'paid', 'it renews once more before');
  subscription.cancel_at = end - 86_400;
  const dated = await fetched(rig, ref);
  assert.deepEqual([dated.state, dated.cancelAtPeriodEnd], ['cancelled', true]);
  assert.equal(dated.paidUntil, paidUntil! - 86_400_000_000_000n);
  await rig.provider.cancelAtPeriodEnd(ref, false, NEVER);
  assert.equal(subscription.cancel_at, null);
  assert.deepEqual((await fetched(rig, ref)).state, 'paid');
});

test('an inquiry moves no money and changes nothing; a dispute, an appeal and a loss do', async () => {
  await using rig = await open();
  const ref = await paid(rig, 'purchase');
  for (const [status, state] of [
    ['warning_needs_response', 'paid'],
    ['warning_under_review', 'paid'],
    ['needs_response', 'disputed'],
    ['under_review', 'disputed'],
    ['lost', 'disputed'],
    ['appeal_needs_response', 'disputed'],
    ['appeal_under_review', 'disputed'],
    ['won', 'paid'],
    ['warning_closed', 'paid'],
    ['prevented', 'paid'],
  ] as const satisfies readonly (readonly [Stripe.Dispute.Status, string])[]) {
    disputeCharge(rig.server.world, rig.chargeOf(ref), status);
    assert.equal(await stateOf(rig, ref), state, status);
  }
});

test('a refund of an earlier month leaves the month that is paid now', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  const first = rig.chargeOf(ref);
  await rig.refund(ref, null);
  assert.equal(await stateOf(rig, ref), 'refunded');
  await rig.pass(32 * DAY_MS);
  assert.notEqual(rig.chargeOf(ref), first);
  assert.equal(await stateOf(rig, ref), 'paid', 'who is charged again has it again');
});

test('a bank that takes an earlier month back takes the rights, until that is won', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  const first = rig.chargeOf(ref);
  await rig.pass(32 * DAY_MS);
  disputeCharge(rig.server.world, first, 'needs_response');
  assert.equal(await stateOf(rig, ref), 'disputed');
  disputeCharge(rig.server.world, first, 'won');
  assert.equal(await stateOf(rig, ref), 'paid');
});

test('what Stripe calls by a name that is not known here is told by its field, and grants nothing', async () => {
  await using rig = await open();
  const bought = await paid(rig, 'purchase');
  const running = await paid(rig);
  const disputed = await paid(rig, 'purchase');
  await rig.dispute(disputed, 'open');
  const trial = rig.subscriptionOf(running);
  const cases: readonly (readonly [string, string, string, unknown])[] = [
    [bought, 'session.mode', 'mode', 'rental'],
    [bought, 'session.status', 'status', 'archived'],
    [bought, 'session.payment_status', 'payment_status', 'promised'],
    [bought, 'session.payment_status', 'payment_status', 'no_payment_required'],
    [bought, 'session.line_items.quantity', 'quantity', undefined],
    [bought, 'session.line_items.price.unit_amount', 'unit_amount', 79.5],
    [bought, 'session.line_items.currency', 'currency', 'euro'],
    [bought, 'charge.refunded', 'refunded', undefined],
    [bought, 'charge.disputed', 'disputed', 'perhaps'],
    [bought, 'session.payment_intent', 'payment_intent', undefined],
    [running, 'session.subscription', 'subscription', undefined],
    [running, 'subscription.cancel_at', 'cancel_at', undefined],
    [running, 'subscription.cancel_at_period_end', 'cancel_at_period_end', 'yes'],
    [running, 'invoice.lines', 'lines', undefined],
    [running, 'invoice.payments', 'payments', undefined],
    [running, 'invoice.lines.period.end', 'period', undefined],
    [running, 'invoice.status_transitions.paid_at', 'status_transitions', undefined],
  ];
  for (const [ref, field, name, value] of cases) {
    rig.server.bend = says(name, value);
    await assert.rejects(rig.provider.fetch(ref, NEVER), (error: Error) => {
      assert.ok(error instanceof UpstreamError, field);
      assert.ok(error.message.includes(field), `${field}: ${error.message}`);
      return true;
    });
  }
  rig.server.bend = null;
  for (const status of ['trialing', 'paused', 'resting'] as const) {
    trial.status = status;
    await assert.rejects(rig.provider.fetch(running, NEVER), /subscription\.status/);
  }
  const { disputes } = rig.server.world;
  disputes[0]!.status = 'escalated';
  await assert.rejects(rig.provider.fetch(disputed, NEVER), /dispute\.status/);
});

test('`unpaid` is past due, and what was never paid and expired has failed', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  const subscription = rig.subscriptionOf(ref);
  subscription.status = 'unpaid';
  assert.equal(await stateOf(rig, ref), 'past_due');
  subscription.status = 'incomplete';
  assert.equal(await stateOf(rig, ref), 'open');
  subscription.status = 'incomplete_expired';
  assert.equal(await stateOf(rig, ref), 'failed');
  const left = await started(rig);
  await rig.pass(DAY_MS);
  assert.equal(await stateOf(rig, left), 'failed', 'a checkout that was left for a day');
});

test('tax is computed by Stripe only where it is switched on, inside the price or on top of it', async () => {
  for (const isTaxAutomatic of [false, true]) {
    await using rig = await open({ isTaxAutomatic });
    for (const taxIncluded of [true, false]) {
      for (const kind of ['subscription', 'purchase'] as const) {
        const start = { ...checkout(kind), taxIncluded };
        const { ref } = await rig.provider.startCheckout(start, NEVER);
        const session = rig.server.world.get(rig.server.world.sessions, ref);
        assert.equal(session.automatic_tax.enabled, isTaxAutomatic);
        assert.equal(session.tax_id_collection?.enabled, true, 'businesses need it on the invoice');
        assert.equal(session.billing_address_collection, isTaxAutomatic ? 'required' : 'auto');
        await rig.pay(ref);
        const { amountMinor, currency } = await fetched(rig, ref);
        assert.deepEqual([amountMinor, currency], [7_900, 'EUR'], 'the price that was agreed on');
        const [receipt] = await rig.provider.receipts(ref, NEVER);
        const onTop = isTaxAutomatic && !taxIncluded;
        assert.equal(receipt!.totalMinor, onTop ? 9_480 : 7_900);
        assert.equal(receipt!.taxMinor, onTop ? 1_580 : isTaxAutomatic ? 1_317 : 0);
      }
    }
  }
});

test('a refund that fails later is told as rejected, and is not counted as given back', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  const wish = { key: 'withdrawal:1', amountMinor: 1_000 };
  assert.equal(await rig.provider.refund(ref, wish, NEVER), 'done');
  const made = rig.server.world.refunds[0]!;
  made.status = 'pending';
  assert.equal(await rig.provider.refund(ref, wish, NEVER), 'pending');
  Object.assign(made, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
  await assert.rejects(rig.provider.refund(ref, wish, NEVER), RefundRejectedError);
  assert.equal((await rig.provider.receipts(ref, NEVER))[0]?.refundedMinor, 0);
});
