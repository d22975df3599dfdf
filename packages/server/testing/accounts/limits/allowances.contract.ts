/** What every adapter of the allowance port must do; `create` makes an empty one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Allowances } from '../../../src/accounts/limits/allowances.ts';

const START = 1_800_000_000_000_000_000n as EpochNs;
const later = (seconds: number) => (START + BigInt(seconds) * 1_000_000_000n) as EpochNs;

const SIXTY = { limit: 60, testLimit: null };
const THREE_HUNDRED = { limit: 300, testLimit: null };

export function testAllowances(
  adapter: string,
  create: () => Allowances | Promise<Allowances>,
): void {
  test(`${adapter}: an allowance is used up, and comes back continuously`, async () => {
    const allowances = await create();
    for (let left = 59; left >= 0; left -= 1) {
      const verdict = await allowances.take(START, 'a', SIXTY);
      assert.deepEqual([verdict.granted, verdict.remaining], [true, left]);
    }
    const refused = await allowances.take(START, 'a', SIXTY);
    assert.deepEqual(refused, {
      granted: false,
      limit: 60,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 1,
    });
    assert.equal((await allowances.take(later(1), 'a', SIXTY)).granted, true);
    assert.equal((await allowances.take(later(1), 'a', SIXTY)).granted, false);
    assert.equal((await allowances.take(later(61), 'a', SIXTY)).remaining, 59);
  });

  test(`${adapter}: everybody has an allowance of their own`, async () => {
    const allowances = await create();
    for (let count = 0; count < 61; count += 1) await allowances.take(START, 'a', SIXTY);
    assert.equal((await allowances.take(START, 'a', SIXTY)).granted, false);
    assert.equal((await allowances.take(START, 'b', SIXTY)).remaining, 59);
    // Account names such as `__proto__` are plain names.
    assert.equal((await allowances.take(START, '__proto__', SIXTY)).remaining, 59);
    assert.equal((await allowances.take(START, '', SIXTY)).remaining, 59);
  });

  test(`${adapter}: test keys count at the account's allowance and at one of their own`, async () => {
    const allowances = await create();
    const testKey = { limit: 300, testLimit: 60 };
    for (let count = 0; count < 100; count += 1) await allowances.take(START, 'a', THREE_HUNDRED);
    const first = await allowances.take(START, 'a', testKey);
    assert.deepEqual(first, {
      granted: true,
      limit: 60,
      remaining: 59,
      resetSeconds: 21,
      retryAfterSeconds: 0,
    });
    for (let count = 1; count < 60; count += 1) await allowances.take(START, 'a', testKey);
    assert.equal((await allowances.take(START, 'a', testKey)).granted, false);
    // Rejected requests took nothing, granted ones are booked.
    assert.equal((await allowances.take(START, 'a', THREE_HUNDRED)).remaining, 139);
    for (let left = 138; left >= 0; left -= 1) await allowances.take(START, 'a', THREE_HUNDRED);
    const both = await allowances.take(later(60), 'a', testKey);
    assert.deepEqual([both.granted, both.remaining], [true, 59]);
    for (let count = 1; count < 300; count += 1)
      await allowances.take(later(60), 'a', THREE_HUNDRED);
    const refused = await allowances.take(later(60), 'a', testKey);
    assert.deepEqual([refused.granted, refused.limit, refused.remaining], [false, 60, 0]);
    assert.equal(refused.resetSeconds, 60);
  });

  test(`${adapter}: where the account has no limit of its own, test keys are held to theirs`, async () => {
    const allowances = await create();
    const testKey = { limit: null, testLimit: 60 };
    for (let count = 0; count < 60; count += 1) await allowances.take(START, 'a', testKey);
    assert.equal((await allowances.take(START, 'a', testKey)).granted, false);
    assert.equal((await allowances.take(START, 'a', SIXTY)).remaining, 59);
  });

  test(`${adapter}: of many requests at once exactly the allowance passes`, async () => {
    const allowances = await create();
    const verdicts = await Promise.all(
      Array.from({ length: 500 }, () => allowances.take(START, 'a', THREE_HUNDRED)),
    );
    assert.equal(verdicts.filter(({ granted }) => granted).length, 300);
    const seen = new Set(verdicts.filter((it) => it.granted).map((it) => it.remaining));
    assert.equal(seen.size, 300);
  });
}
