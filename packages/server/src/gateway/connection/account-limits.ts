/**
 * Finds the holdings of an account that exceed its limits after these became smaller. The oldest connections,
 * subscriptions and configurations stay. All count towards the account's limits; those of test keys count towards the
 * test limits too. If the limits did not change, nothing exceeds them: each grant had counted all older holdings, and
 * these only become fewer.
 */

import type { CountedLimit, Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { LeaseRefusal } from './connection-events.ts';
import type { SubscriptionHolding } from './connection-subscriptions.ts';

/** One connection of the account and its holdings. A younger connection has a higher number. */
export interface AccountHolder {
  readonly number: number;
  readonly entitlements: Pick<Entitlements, 'counted'>;
  readonly subscriptions: readonly SubscriptionHolding[];
}

export interface BeyondLimits {
  readonly connections: ReadonlySet<number>;
  /** Subscriptions of the remaining connections by number, with the limit that each exceeds. */
  readonly subscriptions: ReadonlyMap<number, Exclude<LeaseRefusal, 'fault'>>;
}

export function beyondLimits(holders: readonly AccountHolder[]): BeyondLimits {
  const connections = new Set<number>();
  const connected = new Kept();
  const staying = holders
    .toSorted((a, b) => a.number - b.number)
    .filter(({ number, entitlements }) => {
      const stays = connected.keep(`${number}`, entitlements.counted('maxConnections'));
      if (!stays) connections.add(number);
      return stays;
    });
  const subscriptions = new Map<number, Exclude<LeaseRefusal, 'fault'>>();
  const subscribed = new Kept();
  const configured = new Kept();
  const all = staying.flatMap(({ entitlements, subscriptions: held }) =>
    held.map((subscription) => ({ ...subscription, entitlements })),
  );
  for (const { number, configuration, entitlements } of all.toSorted(
    (a, b) => a.number - b.number,
  )) {
    const most = entitlements.counted('maxSubscriptions');
    const mostCustom = entitlements.counted('maxCustomConfigs');
    if (!subscribed.isWithin(`${number}`, most)) subscriptions.set(number, 'subscription');
    else if (configuration !== null && !configured.keep(configuration, mostCustom)) {
      subscriptions.set(number, 'configuration');
    } else {
      subscribed.keep(`${number}`, most);
    }
  }
  return { connections, subscriptions };
}

/** The holdings of one kind that stay; each counts once. */
class Kept {
  readonly #all = new Set<string>();
  readonly #byTests = new Set<string>();

  isWithin(thing: string, { limit, testLimit }: CountedLimit): boolean {
    const fits = (kept: Set<string>, most: number | null) =>
      most === null || kept.has(thing) || kept.size < most;
    return fits(this.#all, limit) && fits(this.#byTests, testLimit);
  }

  /** False when it is beyond the limits. */
  keep(thing: string, limits: CountedLimit): boolean {
    if (!this.isWithin(thing, limits)) return false;
    this.#all.add(thing);
    if (limits.testLimit !== null) this.#byTests.add(thing);
    return true;
  }
}
