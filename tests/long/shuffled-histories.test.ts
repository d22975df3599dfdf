/** Plays many more of the histories of each payment provider. */

import { test } from 'node:test';
import { PaddleRig } from '../../packages/server/testing/billing/paddle/paddle-rig.ts';
import { playHistories } from '../../packages/server/testing/billing/shuffled-histories.contract.ts';
import { StripeRig } from '../../packages/server/testing/billing/stripe/stripe-rig.ts';
import { TestProviderRig } from '../../packages/server/testing/billing/test-provider-rig.ts';

const HISTORIES = 1_000;

test('stripe: 1,000 histories end in the rights of what the provider says [SEC-29]', () =>
  playHistories(() => StripeRig.open({ isSocket: false }), HISTORIES));

test('test: 1,000 histories end in the rights of what the provider says [SEC-29]', () =>
  playHistories(() => TestProviderRig.open(), HISTORIES));

test('paddle: 1,000 histories end in the rights of what the provider says [SEC-29]', async () => {
  const rig = await PaddleRig.open();
  using _ = rig.local.withoutSocket();
  await playHistories(async () => rig, HISTORIES);
});
