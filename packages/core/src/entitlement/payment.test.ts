import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '../numbers.ts';
import {
  grantsOfPayment,
  mayCharge,
  PAYMENT_GRACE_NS,
  PAYMENT_STATES,
  type Payment,
  type PaymentState,
  paymentEndsAt,
  paymentStateAt,
} from './payment.ts';

const END = 1_000n as EpochNs;
const GRACE_END = (END + PAYMENT_GRACE_NS) as EpochNs;

function subscription(state: PaymentState, cancelAtPeriodEnd = false): Payment {
  const paidAt = 1n as EpochNs;
  return { kind: 'subscription', state, paidAt, paidUntil: END, cancelAtPeriodEnd };
}

function purchase(state: PaymentState): Payment {
  const paidAt = 1n as EpochNs;
  return { kind: 'purchase', state, paidAt, paidUntil: null, cancelAtPeriodEnd: false };
}

function untilOf(payment: Payment): EpochNs | null | undefined {
  return grantsOfPayment(['live'], payment)[0]?.until;
}

test('a subscription grants to the end of its period, and seven days more while it renews [BILL-02]', () => {
  assert.equal(PAYMENT_GRACE_NS, 7n * 86_400_000_000_000n);
  assert.equal(untilOf(subscription('paid')), GRACE_END);
  assert.equal(untilOf(subscription('past_due')), GRACE_END);
  assert.equal(untilOf(subscription('paid', true)), END);
  assert.equal(untilOf(subscription('cancelled')), END);
  for (const state of ['open', 'ended', 'refunded', 'disputed', 'failed'] as const) {
    assert.equal(untilOf(subscription(state)), undefined, state);
  }
});

test('a purchase that is paid grants for ever, and in any other state nothing [BILL-03]', () => {
  for (const state of PAYMENT_STATES) {
    assert.equal(untilOf(purchase(state)), state === 'paid' ? null : undefined, state);
  }
});

test('a period that has passed is over, whether or not the provider said so', () => {
  const before = (END - 1n) as EpochNs;
  assert.equal(paymentStateAt(subscription('paid'), END), 'paid');
  assert.equal(paymentStateAt(subscription('paid'), GRACE_END), 'past_due');
  assert.equal(paymentStateAt(subscription('paid', true), before), 'cancelled');
  assert.equal(paymentStateAt(subscription('paid', true), END), 'ended');
  assert.equal(paymentStateAt(subscription('cancelled'), END), 'ended');
  assert.equal(paymentStateAt(subscription('refunded', true), before), 'refunded');
  assert.equal(paymentStateAt(purchase('paid'), GRACE_END), 'paid');
  assert.equal(paymentEndsAt(subscription('paid')), null);
  assert.equal(paymentEndsAt(subscription('paid', true)), END);
});

test('money may still be asked for by what is open, and by a subscription that is not over', () => {
  const charging = PAYMENT_STATES.filter((state) => mayCharge(subscription(state)));
  assert.deepEqual(charging, ['open', 'paid', 'past_due', 'cancelled', 'refunded', 'disputed']);
  assert.deepEqual(
    PAYMENT_STATES.filter((state) => mayCharge(purchase(state))),
    ['open'],
  );
});
