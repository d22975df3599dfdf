import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAN_LIMITS, PLANS } from '@tapeloom/core/entitlement/plan';
import type { OfferId, OffersView, PricingView } from '../../api/portal-shapes.ts';
import { changeOf, limitLines, offerName, offerText, planWith, priceText } from './plan-facts.ts';

const NEEDED: Readonly<Record<(typeof PLANS)[number], readonly OfferId[]>> = {
  sandbox: [],
  live: ['live'],
  history: ['history'],
  live_history: ['live', 'history'],
};
const OFFERS: OffersView = {
  offers: [
    { id: 'live', name: 'Live', billing: 'monthly', grants: ['live'] },
    { id: 'history', name: 'Historical', billing: 'once', grants: ['history'] },
  ],
  plans: PLANS.map((id) => ({ id, offers: NEEDED[id], limits: PLAN_LIMITS[id] })),
};
const PRICING: PricingView = {
  currency: 'EUR',
  taxIncluded: true,
  prices: [
    { offer: 'live', amountMinor: 7_900, interval: 'month' },
    { offer: 'history', amountMinor: 49_000, interval: null },
  ],
  countries: [{ code: 'DE', provider: 'test' }],
  waiver: { version: '1', text: 'Text.' },
};

test('every plan has the same lines in the same order, and says what it has none of', () => {
  const texts = (plan: (typeof PLANS)[number]) =>
    limitLines(PLAN_LIMITS[plan]).map(({ text, has }) => (has ? text : `(${text})`));
  assert.deepEqual(texts('sandbox'), [
    'Stream, 10 minutes late',
    '1 connection',
    '2 subscriptions',
    '1 custom configuration',
    'History of 7 days',
    '50 million compute units a month',
    '(No exports)',
    '60 REST requests a minute',
  ]);
  assert.deepEqual(texts('live').slice(4, 7), [
    '(No history)',
    '(No compute units)',
    '(No exports)',
  ]);
  assert.deepEqual(texts('live_history').slice(4), [
    'Full history',
    '20 billion compute units a month',
    '20 GiB of exports a month',
    '1,200 REST requests a minute',
  ]);
});

test('a change of plan says what is better and what is gone', () => {
  const { sandbox, live, history, live_history: both } = PLAN_LIMITS;
  assert.deepEqual(changeOf(sandbox, live), {
    gains: [
      'Real time instead of 10 minutes late',
      '5 connections instead of 1',
      '50 subscriptions instead of 2',
      '25 custom configurations instead of 1',
      '300 REST requests a minute instead of 60',
    ],
    losses: ['No history with live keys. Test keys keep their 7 days.'],
  });
  assert.deepEqual(changeOf(sandbox, history).gains, [
    'Full history instead of 7 days',
    '20 billion compute units a month instead of 50 million',
    '20 GiB of exports a month',
    '1,200 REST requests a minute instead of 60',
  ]);
  assert.deepEqual(changeOf(live, both).losses, []);
  assert.equal(changeOf(live, both).gains[0], 'Full history instead of none');
  assert.deepEqual(changeOf(both, both), { gains: [], losses: [] });
});

test('an offer is described by what it adds to the free plan', () => {
  assert.equal(
    offerText(OFFERS, 'history'),
    'Full history, 20 billion compute units a month, 20 GiB of exports a month, 1,200 REST requests a minute.',
  );
  assert.match(offerText(OFFERS, 'live'), /^Real-time stream, 5 connections, .*300 REST/);
});

test('offers together make the plan that needs exactly them', () => {
  assert.equal(planWith(OFFERS, []), 'sandbox');
  assert.equal(planWith(OFFERS, ['history', 'live']), 'live_history');
  assert.equal(planWith(OFFERS, ['history']), 'history');
});

test('prices are written as their currency does, and say how often', () => {
  assert.deepEqual(priceText(PRICING, 'live'), {
    amount: '€79.00',
    per: 'a month',
    tax: 'tax included',
  });
  assert.deepEqual(priceText(PRICING, 'history'), {
    amount: '€490.00',
    per: 'once',
    tax: 'tax included',
  });
  assert.equal(offerName(OFFERS, 'history'), 'Historical');
});
