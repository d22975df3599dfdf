import { test } from 'node:test';
import { playHistories } from '../../../testing/billing/shuffled-histories.contract.ts';
import { StripeRig } from '../../../testing/billing/stripe/stripe-rig.ts';

test('stripe: histories with webhooks shuffled, repeated, lost and late end in the rights of what the provider says [SEC-29]', () =>
  playHistories(() => StripeRig.open({ isSocket: false })));
