import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playHistories } from '../../../testing/billing/shuffled-histories.contract.ts';
import { TestProviderRig } from '../../../testing/billing/test-provider-rig.ts';

const HISTORIES = 1_000;

// Before there is a test: the runner watches every promise of one, which would take longer than the work.
const fault: unknown = await playHistories(() => TestProviderRig.open(), HISTORIES).then(
  () => null,
  (error: unknown) => error,
);

test('test: 1,000 histories with webhooks shuffled, repeated, lost and late end in the rights of what the provider says [SEC-29]', () => {
  assert.ifError(fault);
});
