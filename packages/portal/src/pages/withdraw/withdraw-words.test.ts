import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, SAMPLE_ORDER } from '../../../testing/sample-order.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import {
  effectText,
  isUnpaid,
  lastDay,
  noRightText,
  priceSentence,
  withdrawFailure,
  withdrawnText,
  withdrawWord,
} from './withdraw-words.ts';

const LIVE: OrderView = {
  ...SAMPLE_ORDER,
  withdrawal: { until: at('2026-12-01T12:00:00Z'), amountMinor: 6_320 },
};

test('the button says the last day, which is over everywhere when the right ends', () => {
  assert.equal(lastDay(LIVE.withdrawal!.until), '30 Nov 2026');
  assert.equal(withdrawWord(LIVE), 'Withdraw from contract, until 30 Nov 2026');
  assert.equal(withdrawWord({ ...LIVE, withdrawal: null }), null);
});

test('an order that nobody has paid is given up, and offers no withdrawal beside that', () => {
  const unpaid: OrderView = { ...LIVE, state: 'open', paidAt: null, paidUntil: null };
  assert.equal(withdrawWord(unpaid), null);
  assert.ok(isUnpaid(unpaid) && !isUnpaid(LIVE));
});

test('a price is said with its interval and its tax', () => {
  assert.equal(priceSentence(LIVE), '€79.00 a month, tax included');
  const once = { ...LIVE, interval: null, amountMinor: 49_000, taxIncluded: false };
  assert.equal(priceSentence(once), '€490.00 once, plus tax');
});

test('before it is confirmed it says what happens with rights and money', () => {
  const [rights, money] = effectText(LIVE, 'Live');
  assert.match(rights!, /^Live ends at once/);
  assert.equal(
    money,
    'You get €63.20 of €79.00 back the way you paid: the part for the time still to come, as of now.',
  );
  const all = { ...LIVE, withdrawal: { ...LIVE.withdrawal!, amountMinor: 7_900 } };
  assert.equal(effectText(all, 'Live')[1], 'You get €79.00 back the way you paid.');
  const open: OrderView = { ...all, state: 'open' };
  assert.match(effectText(open, 'Live').join(' '), /its payment page closes/);
  assert.match(noRightText({ ...LIVE, interval: null }, 'Historical'), /when access was provided/);
  assert.match(noRightText(LIVE, 'Live'), /time for withdrawing is over/);
});

test('a declaration that was not taken says why in words of ours, never in those of the service', () => {
  const failures = [
    ['UNREACHABLE', 0, /did not respond/],
    ['NOT_FOUND', 404, /no such order/],
    ['INVALID_PARAMETERS', 400, /no such order/],
    ['CONFLICT', 409, /can no longer withdraw/],
    ['RATE_LIMITED', 429, /Try again in a minute/],
    ['INTERNAL', 500, /by e-mail\. The address/],
    ['UPSTREAM_ERROR', 502, /by e-mail\. The address/],
  ] as const;
  for (const [code, status, words] of failures) {
    assert.match(withdrawFailure({ code, status }), words);
  }
});

test('what became of the money is said in words', () => {
  const text = (state: 'open' | 'pending' | 'by_hand' | 'done', amountMinor = 6_320) =>
    withdrawnText({
      ...LIVE,
      withdrawn: { at: LIVE.createdAt, amountMinor, state, mailedAt: null, settledAt: null },
    });
  assert.equal(withdrawnText(LIVE), null);
  assert.equal(text('done'), '€63.20 was refunded the way you paid.');
  assert.equal(text('done', 0), 'All is settled.');
  assert.match(text('open')!, /have requested it/);
  assert.match(text('pending')!, /refunded by the payment provider/);
  assert.match(text('by_hand')!, /by hand/);
});
