import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaddleRig } from '../../../testing/billing/paddle/paddle-rig.ts';
import { playHistories } from '../../../testing/billing/shuffled-histories.contract.ts';

const HISTORIES = 1_000;

// Before there is a test: the runner watches every promise of one, which would take longer than the work.
const fault: unknown = await play().then(
  () => null,
  (error: unknown) => error,
);

async function play(): Promise<void> {
  const rig = await PaddleRig.open();
  using _ = rig.local.withoutSocket();
  await playHistories(async () => rig, HISTORIES);
}

test('paddle: 1,000 histories with webhooks shuffled, repeated, lost and late end in the rights of what the provider says [SEC-29]', () => {
  assert.ifError(fault);
});
