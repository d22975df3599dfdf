/**
 * How long orders, consents and withdrawals are kept: for the operator's number of years after their account was
 * deleted. They are removed in short steps, so other calls do not wait. Data of existing accounts is never removed.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';

/** Rounded up: a day too long rather than too short. */
const YEAR_NS = 366n * DAY_NS_BIG;
const AT_ONCE = 20;
const STEPS_MAX = 50;

export interface OrderRetentionOptions {
  readonly store: Pick<AccountStore, 'withdrawals'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly years: number;
}

/** Removes orders that are old enough, up to a limit; returns how many. */
export async function forgetOldOrders(options: OrderRetentionOptions): Promise<number> {
  const { store, clock, log, years } = options;
  const before = clock.now() - BigInt(years) * YEAR_NS;
  if (before <= 0n) return 0;
  let all = 0;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const gone = await store.withdrawals.forgetOrders(before as EpochNs, AT_ONCE);
    all += gone;
    if (gone < AT_ONCE) break;
  }
  if (all > 0) log.info({ orders: all, years }, 'orders of deleted accounts were old enough to go');
  return all;
}
