import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { SILENCE_MS_MAX, Silence } from './silence.ts';

const START = 1_800_000_000_000_000_000n;

test('30 s without a frame are too long, and every frame starts them anew [FLOW-06]', () => {
  const at = (ms: number) => (START + BigInt(ms) * 1_000_000n) as EpochNs;
  const silence = new Silence(at(0));
  assert.equal(silence.msLeft(at(0)), 30_000);
  assert.equal(silence.msLeft(at(29_999)), 1);
  silence.hear(at(25_000));
  assert.equal(silence.msLeft(at(30_000)), 25_000);
  assert.equal(silence.msLeft(at(54_999)), 1);
  assert.equal(silence.msLeft(at(55_000)), 0);
  assert.equal(silence.msLeft(at(99_000)), 0);
});

test('who waits as long as is left finds silence over exactly when it is', () => {
  const gaps = fc.array(fc.bigInt(0n, 40_000_000_000n), { maxLength: 30 });
  fc.assert(
    fc.property(gaps, (heardAfter) => {
      const silence = new Silence(START as EpochNs);
      let heardAt = START;
      let checkAt = START + BigInt(SILENCE_MS_MAX) * 1_000_000n;
      for (const gap of heardAfter) {
        const next = heardAt + gap;
        while (checkAt <= next) {
          const left = silence.msLeft(checkAt as EpochNs);
          if (left === 0) {
            assert.ok(checkAt - heardAt >= 30_000_000_000n && checkAt - heardAt < 30_001_000_000n);
            return;
          }
          checkAt += BigInt(left) * 1_000_000n;
        }
        assert.ok(gap < 30_001_000_000n, 'a longer silence was noticed before');
        silence.hear(next as EpochNs);
        heardAt = next;
      }
    }),
  );
});
