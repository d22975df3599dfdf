import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { PLAN_LIMITS, PLANS, type Plan } from '@tapeloom/core/entitlement/plan';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { ColdOpens } from './cold-opens.ts';

function callerOf(plan: Plan, environment: 'live' | 'test' = 'live', accountId: string = plan) {
  const rights = {
    environment,
    scopes: ['stream'],
    instruments: null,
    allowedIps: null,
    expiresAt: null,
  } as const;
  const entitlements = Entitlements.of(rights, plan);
  return { accountId, keyId: 'key', isSuspended: false, entitlements };
}

/** How many are granted at once. */
function granted(opens: ColdOpens, caller: ReturnType<typeof callerOf>): number {
  let count = 0;
  while (opens.take(caller) === null) count += 1;
  return count;
}

test('every plan may begin all its subscriptions many times over, once a second at least [SEC-37]', () => {
  const clock = new ManualClock(0n);
  const opens = new ColdOpens(clock);
  for (const plan of PLANS) {
    const count = granted(opens, callerOf(plan));
    assert.equal(count, Math.max(60, 8 * PLAN_LIMITS[plan].maxSubscriptions), plan);
    clock.advance(1_000);
    assert.equal(granted(opens, callerOf(plan)), Math.floor(count / 60), plan);
  }
  assert.equal(opens.take(callerOf('live', 'live', 'another')), null);
});

test('test keys have an allowance of their own, and do not use up that of production', () => {
  const opens = new ColdOpens(new ManualClock(0n));
  assert.equal(granted(opens, callerOf('live', 'test')), 60);
  assert.equal(granted(opens, callerOf('live')), 400 - 60);
});

test('the refusal says when the next one is possible', () => {
  const clock = new ManualClock(0n);
  const opens = new ColdOpens(clock);
  const caller = callerOf('sandbox');
  granted(opens, caller);
  assert.deepEqual(opens.take(caller), {
    code: 'RATE_LIMITED',
    message: 'The account may start 60 new streams a minute; the next one is possible in 1 s.',
  });
  clock.advance(1_000);
  assert.equal(opens.take(caller), null);
});
