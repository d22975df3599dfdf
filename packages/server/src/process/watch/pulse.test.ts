import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pulse } from './pulse.ts';

test('a tape that reports is alive, one that is silent for half a minute is not, until it reports again', () => {
  let seconds = 100n;
  const pulse = new Pulse(() => seconds * 1_000_000_000n);
  seconds += 30n;
  assert.ok(pulse.isBeating);
  seconds += 1n;
  assert.ok(!pulse.isBeating);
  pulse.beat();
  assert.ok(pulse.isBeating);
});
