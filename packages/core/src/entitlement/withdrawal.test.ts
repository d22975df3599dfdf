import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '../numbers.ts';
import { PAYMENT_STATES } from './payment.ts';
import {
  judgeWithdrawal,
  refundOf,
  type WithdrawableOrder,
  type WithdrawalTerms,
  withdrawableUntil,
} from './withdrawal.ts';

const HOUR_NS = 3_600_000_000_000n;
const DAY_NS = 24n * HOUR_NS;
const SERVICE: WithdrawalTerms = { days: 14, lostAt: 'never', refund: 'rest' };
const CONTENT: WithdrawalTerms = { days: 14, lostAt: 'access', refund: 'all' };

function at(text: string): EpochNs {
  return (BigInt(Date.parse(text)) * 1_000_000n) as EpochNs;
}

const ORDERED = at('2026-11-03T09:59:00Z');
const PAID = at('2026-11-03T10:00:00Z');

function order(change: Partial<WithdrawableOrder> = {}): WithdrawableOrder {
  return {
    kind: 'subscription',
    state: 'paid',
    createdAt: ORDERED,
    paidAt: PAID,
    paidUntil: at('2026-12-03T10:00:00Z'),
    cancelAtPeriodEnd: false,
    amountMinor: 7_900,
    withdrawal: SERVICE,
    withdrawnAt: null,
    ...change,
  };
}

function later(instant: EpochNs, ns: bigint): EpochNs {
  return (instant + ns) as EpochNs;
}

test('the days begin after the day of the contract, end when the last is over everywhere, and never at a weekend', () => {
  // 3 November 2026 is a Tuesday, and so is the 17th.
  assert.equal(withdrawableUntil(order()), at('2026-11-18T12:00:00Z'));
  assert.equal(
    withdrawableUntil(order({ paidAt: null })),
    at('2026-11-18T12:00:00Z'),
    'what nobody has paid counts from the order',
  );
  for (const [paid, until] of [
    ['2026-11-07T23:59:59Z', '2026-11-24T12:00:00Z'],
    ['2026-11-08T00:00:00Z', '2026-11-24T12:00:00Z'],
    ['2026-11-09T00:00:00Z', '2026-11-24T12:00:00Z'],
    ['2026-02-14T12:00:00Z', '2026-03-03T12:00:00Z'],
  ] as const) {
    assert.equal(withdrawableUntil(order({ paidAt: at(paid) })), at(until), paid);
  }
  const longer = order({ withdrawal: { ...SERVICE, days: 60 } });
  assert.equal(withdrawableUntil(longer), at('2027-01-05T12:00:00Z'), 'Saturday, so Monday');
});

test('a running subscription may be withdrawn from up to the last nanosecond; the unused part of its price comes back', () => {
  const until = withdrawableUntil(order());
  const half = judgeWithdrawal(order(), later(PAID, 15n * DAY_NS));
  assert.ok(half.may);
  assert.deepEqual([half.amountMinor, half.until], [3_950, until]);
  assert.deepEqual(half.share, { unusedNs: 15n * DAY_NS, periodNs: 30n * DAY_NS });
  const atOnce = judgeWithdrawal(order(), PAID);
  assert.ok(atOnce.may && atOnce.amountMinor === 7_900);
  // A fraction of a cent is rounded up for the customer.
  const soon = judgeWithdrawal(order(), later(PAID, 1n));
  assert.ok(soon.may && soon.amountMinor === 7_900);
  assert.ok(judgeWithdrawal(order(), (until - 1n) as EpochNs).may);
  assert.deepEqual(judgeWithdrawal(order(), until), { may: false, why: 'over' });
});

test('content is lost with access, a price may have no right, and all may come back', () => {
  const content = { kind: 'purchase', paidUntil: null, withdrawal: CONTENT } as const;
  assert.deepEqual(judgeWithdrawal(order(content), PAID), { may: false, why: 'lost' });
  const unpaid = { ...content, state: 'open', paidAt: null } as const;
  const open = judgeWithdrawal(order(unpaid), PAID);
  assert.ok(open.may && open.amountMinor === 0, 'nothing was paid yet');
  const generous = { ...content, withdrawal: { ...CONTENT, lostAt: 'never' } } as const;
  const given = judgeWithdrawal(order(generous), later(PAID, 3n * DAY_NS));
  assert.ok(given.may && given.amountMinor === 7_900);
  const none = order({ withdrawal: { ...SERVICE, days: 0 } });
  assert.deepEqual(judgeWithdrawal(none, PAID), { may: false, why: 'no-right' });
  const whole = order({ withdrawal: { ...SERVICE, refund: 'all' } });
  const verdict = judgeWithdrawal(whole, later(PAID, 10n * DAY_NS));
  assert.ok(verdict.may && verdict.amountMinor === 7_900);
});

test('only what runs or waits to be paid can be withdrawn from, and only once', () => {
  const may = PAYMENT_STATES.filter((state) => judgeWithdrawal(order({ state }), PAID).may);
  assert.deepEqual(may, ['open', 'paid', 'past_due', 'cancelled']);
  const again = judgeWithdrawal(order({ withdrawnAt: PAID }), PAID);
  assert.deepEqual(again, { may: false, why: 'withdrawn' });
});

test('the share is of the month that runs, also of a later one and of a short one', () => {
  const terms = { ...SERVICE, days: 60 };
  const second = order({ withdrawal: terms, paidUntil: at('2027-01-03T10:00:00Z') });
  const verdict = judgeWithdrawal(second, at('2026-12-03T10:00:00Z'));
  assert.ok(verdict.may && verdict.amountMinor === 7_900);
  assert.equal(verdict.share.periodNs, verdict.share.unusedNs);
  const short = order({
    withdrawal: terms,
    paidAt: at('2026-01-31T10:00:00Z'),
    paidUntil: at('2026-02-28T10:00:00Z'),
  });
  const half = judgeWithdrawal(short, at('2026-02-14T10:00:00Z'));
  assert.ok(half.may && half.amountMinor === 3_950);
  assert.equal(half.share.periodNs, 28n * DAY_NS);
  const overdue = judgeWithdrawal(
    order({ state: 'past_due', withdrawal: terms }),
    at('2026-12-05'),
  );
  assert.ok(overdue.may && overdue.amountMinor === 0, 'the month that was paid for is over');
});

test('what comes back is a part of the charge with its tax, never more than is left of it', () => {
  const declared = { at: later(PAID, 15n * DAY_NS), unusedNs: 1n, periodNs: 2n };
  const charge = { at: PAID, totalMinor: 9_401, refundedMinor: 0 };
  assert.equal(refundOf(declared, charge, true), 4_701);
  assert.equal(refundOf(declared, { ...charge, refundedMinor: 9_000 }, true), 401);
  assert.equal(refundOf(declared, { ...charge, refundedMinor: 9_401 }, true), 0);
  const after = { ...charge, at: later(declared.at, 1n) };
  assert.equal(refundOf(declared, after, true), 9_401, 'a charge from after it comes back whole');
});

test('a renewal from just before the declaration that was not known then comes back by its own month', () => {
  const declared = { at: at('2026-12-18T22:00:00Z'), unusedNs: 0n, periodNs: 30n * DAY_NS };
  const renewal = { at: at('2026-12-03T10:00:00Z'), totalMinor: 7_900, refundedMinor: 0 };
  // 15.5 of 31 days are left.
  assert.equal(refundOf(declared, renewal, true), 3_950);
  const old = { ...renewal, at: at('2026-11-03T10:00:00Z') };
  assert.equal(refundOf(declared, old, true), 0, 'its month is over');
});

test('whatever the times, the amount lies between nothing and the price and never grows with time', () => {
  let seed = 7n;
  const random = (below: bigint) => {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 64n) - 1n);
    return (seed >> 16n) % below;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const paidAt = later(PAID, random(400n * DAY_NS));
    const paidUntil = later(paidAt, random(62n * DAY_NS));
    const amountMinor = Number(random(100_000n)) + 1;
    const days = Number(random(60n)) + 1;
    const one = order({ paidAt, paidUntil, amountMinor, withdrawal: { ...SERVICE, days } });
    let before = amountMinor;
    for (let step = 0n; step < 8n; step += 1n) {
      const verdict = judgeWithdrawal(one, later(paidAt, step * 5n * DAY_NS + random(DAY_NS)));
      if (!verdict.may) continue;
      assert.ok(verdict.amountMinor >= 0 && verdict.amountMinor <= before);
      before = verdict.amountMinor;
    }
  }
});
