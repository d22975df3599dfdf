import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { MessageRate } from './message-rate.ts';

const START = 1_800_000_000_000_000_000n;
const MS_NS = 1_000_000n;
const SECOND_NS = 1_000_000_000n;

/** Sends a frame every `gapNs` until one is rejected; returns how many passed, at most `most`. */
function passing(gapNs: bigint, most: number): number {
  const rate = new MessageRate();
  for (let count = 0; count < most; count += 1) {
    if (!rate.take((START + BigInt(count) * gapNs) as EpochNs)) return count;
  }
  return most;
}

test('20 frames a second pass for ever, 21 do not [FLOW-01]', () => {
  assert.equal(passing(SECOND_NS / 20n, 20 * 600), 20 * 600);
  // Each second takes one more than it brings, until the burst is used up.
  const frames = passing(SECOND_NS / 21n, 21 * 600);
  assert.ok(frames >= 100 && frames <= 21 * 101, `${frames} passed`);
});

test('100 at once pass, the next one does not, and quiet time fills up again [FLOW-02]', () => {
  assert.equal(passing(0n, 1_000), 100);
  const rate = new MessageRate();
  let now = START;
  const burst = () => {
    let count = 0;
    while (rate.take(now as EpochNs)) count += 1;
    return count;
  };
  assert.equal(burst(), 100);
  now += 50n * MS_NS - 1n;
  assert.equal(burst(), 0);
  now += 1n;
  assert.equal(burst(), 1);
  now += SECOND_NS;
  assert.equal(burst(), 20);
  now += 3_600n * SECOND_NS;
  assert.equal(burst(), 100);
});

test('it never parts from an exact twin, whatever the pauses', () => {
  const pause = fc.oneof(
    fc.constant(0n),
    fc.bigInt(0n, 60n * MS_NS),
    fc.bigInt(0n, 7n * SECOND_NS),
  );
  fc.assert(
    fc.property(fc.array(pause, { maxLength: 300 }), (pauses) => {
      const rate = new MessageRate();
      const full = 100n * SECOND_NS;
      let [now, level] = [START, full];
      for (const each of pauses) {
        now += each;
        level = level + 20n * each < full ? level + 20n * each : full;
        const isGranted = level >= SECOND_NS;
        if (isGranted) level -= SECOND_NS;
        assert.equal(rate.take(now as EpochNs), isGranted);
      }
    }),
  );
});
