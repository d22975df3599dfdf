import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderView } from '../../api/portal-shapes.ts';
import { holdingOf, isBuyable } from './holding.ts';

const NOW = '1794823200000000000';
const LATER = '1797415200000000000';
const EARLIER = '1790000000000000000';

function order(state: OrderView['state'], offer: OrderView['offer'] = 'live'): OrderView {
  return {
    id: `ord_${state}`,
    offer,
    state,
    amountMinor: 7_900,
    currency: 'EUR',
    interval: offer === 'live' ? 'month' : null,
    billTo: null,
    country: 'DE',
    payUrl: null,
    provider: 'test',
    createdAt: EARLIER,
    paidAt: EARLIER,
    paidUntil: LATER,
    endsAt: null,
    waiverVersion: '2026-11-1',
    taxIncluded: true,
    withdrawal: null,
    withdrawn: null,
  };
}

const account = (until: string | null) => ({
  grants: [{ plan: 'live' as const, until }],
  serverTime: NOW,
});

test('what runs by an order is held, with the day its rights end', () => {
  for (const state of ['paid', 'past_due', 'cancelled'] as const) {
    const holding = holdingOf('live', account(LATER), [order('failed'), order(state)]);
    assert.deepEqual(holding, { by: 'order', order: order(state), until: LATER });
    assert.equal(isBuyable(holding), false);
  }
});

test('what was given for good is held, what was given for a while can be bought', () => {
  const gift = holdingOf('live', account(null), []);
  assert.deepEqual(gift, { by: 'gift' });
  assert.equal(isBuyable(gift), false);
  const trial = holdingOf('live', account(LATER), [order('ended'), order('open')]);
  assert.deepEqual(trial, { by: 'trial', until: LATER });
  assert.equal(isBuyable(trial), true);
});

test('nothing is held of what ended, was never granted, or is another offer', () => {
  assert.equal(holdingOf('live', account(EARLIER), [order('ended')]), null);
  assert.equal(holdingOf('live', account(NOW), []), null);
  assert.equal(holdingOf('history', account(null), [order('paid')]), null);
  assert.equal(isBuyable(null), true);
});

test('of several grants the one that lasts longest counts', () => {
  const grants = [
    { plan: 'live' as const, until: LATER },
    { plan: 'live' as const, until: null },
  ];
  const holding = holdingOf('live', { grants, serverTime: NOW }, [order('paid')]);
  assert.deepEqual(holding, { by: 'order', order: order('paid'), until: null });
});
