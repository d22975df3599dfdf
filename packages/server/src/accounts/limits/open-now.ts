/** What an account has open now, over all its keys and sessions. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Leases } from './leases.ts';

export interface OpenNow {
  readonly connections: number;
  readonly subscriptions: number;
  readonly customConfigs: number;
}

export async function openNow(leases: Leases, now: EpochNs, accountId: string): Promise<OpenNow> {
  const [connections, subscriptions, customConfigs] = await Promise.all([
    leases.count(now, accountId, 'connection'),
    leases.count(now, accountId, 'subscription'),
    leases.count(now, accountId, 'configuration'),
  ]);
  return { connections, subscriptions, customConfigs };
}
