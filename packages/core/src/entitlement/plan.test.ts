import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '../numbers.ts';
import { type Grant, PLAN_LIMITS, PLANS, planAt } from './plan.ts';

const NOW = 1_800_000_000_000_000_000n as EpochNs;
const grant = (plan: Grant['plan'], until: bigint | null): Grant => ({
  plan,
  until: until as EpochNs | null,
});

test('the plan is what the grants in force amount to', () => {
  const cases: readonly [readonly Grant[], string][] = [
    [[], 'sandbox'],
    [[grant('live', null)], 'live'],
    [[grant('history', null)], 'history'],
    [[grant('live', null), grant('history', null)], 'live_history'],
    [[grant('history', null), grant('live', null)], 'live_history'],
    [[grant('live', NOW + 1n), grant('history', null)], 'live_history'],
    // A grant ends at its instant; another one in force replaces it.
    [[grant('live', NOW)], 'sandbox'],
    [[grant('live', NOW - 1n), grant('history', null)], 'history'],
    [[grant('live', NOW), grant('live', NOW + 1n)], 'live'],
    [[grant('live', NOW), grant('live', null)], 'live'],
  ];
  for (const [grants, plan] of cases) assert.equal(planAt(grants, NOW), plan);
});

test('both plans together are at least as good as either, in every limit', () => {
  const both = PLAN_LIMITS.live_history;
  for (const one of [PLAN_LIMITS.live, PLAN_LIMITS.history]) {
    for (const name of [
      'computeBudget',
      'exportBytes',
      'restPerMinute',
      'historyDays',
      'maxConnections',
      'maxSubscriptions',
      'maxCustomConfigs',
    ] as const) {
      assert.ok(both[name] >= one[name], name);
    }
    assert.ok(both.delaySeconds <= one.delaySeconds);
    assert.ok(both.realtime || !one.realtime);
  }
});

test('real time is the absence of a delay', () => {
  for (const plan of PLANS) {
    assert.equal(PLAN_LIMITS[plan].realtime, PLAN_LIMITS[plan].delaySeconds === 0);
  }
});
