import { test } from 'node:test';
import { PaddleRig } from '../../../testing/billing/paddle/paddle-rig.ts';
import { playHistories } from '../../../testing/billing/shuffled-histories.contract.ts';

test('paddle: histories with webhooks shuffled, repeated, lost and late end in the rights of what the provider says [SEC-29]', async () => {
  const rig = await PaddleRig.open();
  using _ = rig.local.withoutSocket();
  await playHistories(async () => rig);
});
