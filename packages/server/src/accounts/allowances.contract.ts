/** What every adapter of the allowance port must do; `create` makes an empty one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Allowances } from './allowances.ts';

const START = 1_800_000_000_000_000_000n as EpochNs;
const later = (seconds: number) => (START + BigInt(seconds) * 1_000_000_000n) as EpochNs;

export function testAllowances(adapter: string, create: () => Allowances): void {
  test(`${adapter}: an allowance is used up, and comes back continuously`, async () => {
    const allowances = create();
    for (let left = 59; left >= 0; left -= 1) {
      const verdict = await allowances.take(START, 'a', 60);
      assert.deepEqual([verdict.granted, verdict.remaining], [true, left]);
    }
    const refused = await allowances.take(START, 'a', 60);
    assert.deepEqual(refused, {
      granted: false,
      limit: 60,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 1,
    });
    assert.equal((await allowances.take(later(1), 'a', 60)).granted, true);
    assert.equal((await allowances.take(later(1), 'a', 60)).granted, false);
    assert.equal((await allowances.take(later(61), 'a', 60)).remaining, 59);
  });

  test(`${adapter}: everybody has an allowance of their own`, async () => {
    const allowances = create();
    for (let count = 0; count < 61; count += 1) await allowances.take(START, 'a', 60);
    assert.equal((await allowances.take(START, 'a', 60)).granted, false);
    assert.equal((await allowances.take(START, 'b', 60)).remaining, 59);
    // Names are names, not properties.
    assert.equal((await allowances.take(START, '__proto__', 60)).remaining, 59);
    assert.equal((await allowances.take(START, '', 60)).remaining, 59);
  });

  test(`${adapter}: one allowance is shared by requests with different limits`, async () => {
    const allowances = create();
    for (let count = 0; count < 60; count += 1) await allowances.take(START, 'a', 60);
    assert.equal((await allowances.take(START, 'a', 60)).granted, false);
    assert.equal((await allowances.take(START, 'a', 300)).remaining, 239);
  });

  test(`${adapter}: of many requests at once exactly the allowance passes`, async () => {
    const allowances = create();
    const verdicts = await Promise.all(
      Array.from({ length: 500 }, () => allowances.take(START, 'a', 300)),
    );
    assert.equal(verdicts.filter(({ granted }) => granted).length, 300);
    const seen = new Set(verdicts.filter((it) => it.granted).map((it) => it.remaining));
    assert.equal(seen.size, 300);
  });
}
