import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OfferId } from '../../api/portal-shapes.ts';
import { PLAN_WORDS } from '../landing/plan-words.ts';
import { bothSteps, checkoutPath } from './both-offers.ts';

const steps = (...buyable: readonly OfferId[]) =>
  bothSteps((offer) => buyable.includes(offer)).map(({ offer, state }) => `${offer} ${state}`);

test('both offers are ordered one after the other, Historical first, from wherever somebody stands', () => {
  assert.deepEqual(steps('live', 'history'), ['history now', 'live next']);
  assert.deepEqual(steps('live'), ['history done', 'live now']);
  assert.deepEqual(steps('history'), ['history now', 'live done']);
  assert.deepEqual(steps(), ['history done', 'live done']);
});

test('whoever chooses both is led to an order for both, from the landing page and from the plans', () => {
  assert.equal(checkoutPath(['live', 'history']), '/checkout?offer=both');
  assert.equal(checkoutPath(['history']), '/checkout?offer=history');
  assert.equal(PLAN_WORDS.find(({ id }) => id === 'live_history')?.href, '/checkout?offer=both');
});
