import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DELAYED_KEY, KEY } from '../../../testing/accounts/fixed-authenticator.ts';
import {
  RollingStream,
  type RollScript,
  type RollStep,
} from '../../../testing/stream/rolling-stream.ts';

const step: fc.Arbitrary<RollStep> = fc.record({
  t: fc.oneof(
    { weight: 6, arbitrary: fc.constant<RollStep['t']>('trade') },
    { weight: 6, arbitrary: fc.constant<RollStep['t']>('feed') },
    {
      weight: 8,
      arbitrary: fc.constantFrom<RollStep['t']>('pass', 'near', 'pulse', 'beat', 'cut', 'turns'),
    },
  ),
  n: fc.nat(999),
});

const script: fc.Arbitrary<RollScript> = fc.record({
  rolls: fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
  indicator: fc.constantFrom('bars', 'delta', 'unfinished-auctions'),
  keys: fc.constant([KEY, DELAYED_KEY, KEY]),
  steps: fc.array(step, { minLength: 20, maxLength: 90 }),
});

test('over rolls, cuts and pulses no message bears a cursor of a day on which its alias meant another contract [DET-22] [INST-03]', async () => {
  let rolls = 0;
  await fc.assert(
    fc.asyncProperty(script, async (it) => {
      for (const client of await RollingStream.run(it)) rolls += client.rolls;
    }),
    { numRuns: 60 },
  );
  assert.ok(rolls > 60, `${rolls}`);
});
