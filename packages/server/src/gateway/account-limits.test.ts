import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAN_LIMITS, PLANS } from '@tapeloom/core/entitlement/plan';
import fc from 'fast-check';
import { type AccountHolder, beyondLimits } from './account-limits.ts';

const { live, sandbox } = PLAN_LIMITS;

function holder(
  number: number,
  limits = sandbox,
  subscriptions: AccountHolder['subscriptions'] = [],
) {
  return { number, limits, subscriptions };
}

function subscription(number: number, configuration: string | null = null) {
  return { number, configuration };
}

test('the oldest connections stay, and their oldest subscriptions and configurations', () => {
  const { connections, subscriptions } = beyondLimits([
    holder(9, sandbox, [subscription(10)]),
    holder(1, sandbox, [
      subscription(2, 'x'),
      subscription(3, 'y'),
      subscription(4, 'x'),
      subscription(5),
    ]),
  ]);
  assert.deepEqual([...connections], [9]);
  // `y` is a second configuration; without it there is room for one more subscription.
  assert.deepEqual(
    [...subscriptions],
    [
      [3, 'configuration'],
      [5, 'subscription'],
    ],
  );
});

test('each is held against the limits of its own key', () => {
  const { connections } = beyondLimits([holder(1, live), holder(2, sandbox), holder(3, live)]);
  assert.deepEqual([...connections], [2]);
});

test('what was granted within limits is never beyond them, whatever has ended since', () => {
  const step = fc.record({
    plan: fc.constantFrom(...PLANS),
    configuration: fc.option(fc.constantFrom('x', 'y', 'z')),
    ends: fc.nat(),
    isConnection: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let holders: AccountHolder[] = [];
      let last = 0;
      for (const { plan, configuration, ends, isConnection } of steps) {
        const limits = PLAN_LIMITS[plan];
        last += 1;
        if (ends % 3 === 0 && holders.length > 0) {
          holders = holders.filter((_, index) => index !== ends % holders.length);
        } else if (isConnection) {
          if (holders.length < limits.maxConnections) holders.push(holder(last, limits));
        } else if (holders.length > 0) {
          const owner = holders[ends % holders.length]!;
          const all = holders.flatMap(({ subscriptions }) => subscriptions);
          const configurations = new Set(all.map((it) => it.configuration).filter(Boolean));
          const isNew = configuration !== null && !configurations.has(configuration);
          if (all.length >= owner.limits.maxSubscriptions) continue;
          if (isNew && configurations.size >= owner.limits.maxCustomConfigs) continue;
          const more = [...owner.subscriptions, subscription(last, configuration)];
          holders = holders.map((it) => (it === owner ? { ...it, subscriptions: more } : it));
        }
        const beyond = beyondLimits(holders);
        assert.deepEqual([beyond.connections.size, beyond.subscriptions.size], [0, 0]);
      }
    }),
  );
});
