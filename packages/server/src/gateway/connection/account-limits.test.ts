import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Environment } from '@tapeloom/core/entitlement/key-rights';
import { PLANS, type Plan } from '@tapeloom/core/entitlement/plan';
import fc from 'fast-check';
import { type AccountHolder, beyondLimits } from './account-limits.ts';

function entitled(plan: Plan, environment: Environment = 'live'): Entitlements {
  const rights = { scopes: [], instruments: null, allowedIps: null, expiresAt: null };
  return Entitlements.of({ ...rights, environment }, plan);
}

const sandbox = entitled('sandbox');

function holder(
  number: number,
  entitlements = sandbox,
  subscriptions: AccountHolder['subscriptions'] = [],
) {
  return { number, entitlements, subscriptions };
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
  // `y` is a second configuration; without it there is a slot for one more subscription.
  assert.deepEqual(
    [...subscriptions],
    [
      [3, 'configuration'],
      [5, 'subscription'],
    ],
  );
});

test('test keys keep what fits into their own limits and into those of the account', () => {
  const trial = entitled('live', 'test');
  const live = entitled('live');
  const within = beyondLimits([
    holder(1, live),
    holder(2, trial, [
      subscription(5, 'x'),
      subscription(6, 'y'),
      subscription(7),
      subscription(8),
    ]),
    holder(3, trial),
    holder(4, live, [subscription(9, 'y'), subscription(10, 'z')]),
  ]);
  assert.deepEqual([...within.connections], [3]);
  assert.deepEqual(
    [...within.subscriptions],
    [
      [6, 'configuration'],
      [8, 'subscription'],
    ],
  );
  // The plan has become smaller: of five, the oldest stays, whichever key it is of.
  const trialOfSandbox = entitled('sandbox', 'test');
  const shrunk = beyondLimits([holder(1, sandbox), holder(2, trialOfSandbox), holder(3, sandbox)]);
  assert.deepEqual([...shrunk.connections], [2, 3]);
  const first = beyondLimits([holder(1, trialOfSandbox), holder(2, sandbox)]);
  assert.deepEqual([...first.connections], [2]);
});

/** Whether one more fits, by a count of its own. */
function fits(
  entitlements: Entitlements,
  field: 'maxConnections' | 'maxSubscriptions' | 'maxCustomConfigs',
  all: number,
  byTests: number,
): boolean {
  const { limit, testLimit } = entitlements.counted(field);
  return (limit === null || all < limit) && (testLimit === null || byTests < testLimit);
}

test('what was granted within limits is never beyond them, whatever has ended since', () => {
  const step = fc.record({
    isTest: fc.boolean(),
    configuration: fc.option(fc.constantFrom('x', 'y', 'z')),
    ends: fc.nat(),
    isConnection: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...PLANS), fc.array(step, { maxLength: 60 }), (plan, steps) => {
      let holders: (AccountHolder & { readonly entitlements: Entitlements })[] = [];
      let last = 0;
      for (const { isTest, configuration, ends, isConnection } of steps) {
        last += 1;
        const testers = holders.filter(({ entitlements }) => entitlements.isTest);
        if (ends % 3 === 0 && holders.length > 0) {
          holders = holders.filter((_, index) => index !== ends % holders.length);
        } else if (isConnection) {
          const own = entitled(plan, isTest ? 'test' : 'live');
          if (fits(own, 'maxConnections', holders.length, testers.length)) {
            holders.push(holder(last, own));
          }
        } else if (holders.length > 0) {
          const owner = holders[ends % holders.length]!;
          const [all, byTests] = [holders, testers].map((some) =>
            some.flatMap(({ subscriptions }) => subscriptions),
          );
          const others = (some: typeof all) =>
            new Set(some!.map((it) => it.configuration).filter((it) => it !== null));
          const { entitlements } = owner;
          if (!fits(entitlements, 'maxSubscriptions', all!.length, byTests!.length)) continue;
          if (configuration !== null) {
            const [ofAll, ofTests] = [others(all), others(byTests)];
            const count = (some: Set<string>) => (some.has(configuration) ? -1 : some.size);
            if (!fits(entitlements, 'maxCustomConfigs', count(ofAll), count(ofTests))) continue;
          }
          const more = [...owner.subscriptions, subscription(last, configuration)];
          holders = holders.map((it) => (it === owner ? { ...it, subscriptions: more } : it));
        }
        const beyond = beyondLimits(holders);
        assert.deepEqual([beyond.connections.size, beyond.subscriptions.size], [0, 0]);
      }
    }),
  );
});
