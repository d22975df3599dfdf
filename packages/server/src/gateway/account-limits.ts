/**
 * What an account has open beyond its limits, when those have become smaller: the oldest connections,
 * subscriptions and configurations stay. Each is held against the limits of its own key, and nothing that
 * was granted under limits that did not change is ever beyond them: when it was granted, fewer were open,
 * and of those older than itself there have only become fewer since.
 */

import type { PlanLimits } from '@tapeloom/core/entitlement/plan';
import type { LeaseRefusal } from './connection-events.ts';
import type { SubscriptionHolding } from './connection-subscriptions.ts';

/** One connection of the account, and what it holds. Higher numbers are younger. */
export interface AccountHolder {
  readonly number: number;
  readonly limits: PlanLimits;
  readonly subscriptions: readonly SubscriptionHolding[];
}

export interface BeyondLimits {
  /** Connections by number. */
  readonly connections: ReadonlySet<number>;
  /** Subscriptions of the other connections by number, and what there is too much of. */
  readonly subscriptions: ReadonlyMap<number, Exclude<LeaseRefusal, 'fault'>>;
}

export function beyondLimits(holders: readonly AccountHolder[]): BeyondLimits {
  const oldestFirst = holders.toSorted((a, b) => a.number - b.number);
  const staying = oldestFirst.filter(({ limits }, index) => index < limits.maxConnections);
  const connections = new Set(oldestFirst.map(({ number }) => number));
  for (const { number } of staying) connections.delete(number);
  const subscriptions = new Map<number, Exclude<LeaseRefusal, 'fault'>>();
  const configurations = new Set<string>();
  let count = 0;
  const all = staying.flatMap(({ limits, subscriptions: held }) =>
    held.map((subscription) => ({ ...subscription, limits })),
  );
  for (const { number, configuration, limits } of all.toSorted((a, b) => a.number - b.number)) {
    const isNew = configuration !== null && !configurations.has(configuration);
    if (count >= limits.maxSubscriptions) subscriptions.set(number, 'subscription');
    else if (isNew && configurations.size >= limits.maxCustomConfigs) {
      subscriptions.set(number, 'configuration');
    } else {
      count += 1;
      if (configuration !== null) configurations.add(configuration);
    }
  }
  return { connections, subscriptions };
}
