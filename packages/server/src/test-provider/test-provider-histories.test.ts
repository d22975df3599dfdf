import { test } from 'node:test';
import { playHistories } from '../../testing/billing/shuffled-histories.contract.ts';
import { TestProviderRig } from '../../testing/billing/test-provider-rig.ts';

test('test: histories with webhooks shuffled, repeated, lost and late end in the rights of what the provider says [SEC-29]', () =>
  playHistories(() => TestProviderRig.open()));
