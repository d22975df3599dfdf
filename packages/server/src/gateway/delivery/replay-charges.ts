/**
 * What replays cost: each page is reserved of the account's compute budget before it is written, and
 * settled when it is. Streams count no history items. A reservation that is neither settled nor given
 * back, because the process died, ends by itself.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import type { Caller } from '../../accounts/auth/caller.ts';
import { type AccountStore, AccountsUnavailableError } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StartRefusal } from './start-verdict.ts';

/** Far longer than a page needs from its reservation to the socket. */
const RESERVED_FOR_NS = 300_000_000_000n;

export interface ReplayChargesOptions {
  readonly store: Pick<AccountStore, 'reserve' | 'settle' | 'voidReservation'>;
  /** The accounts' time. */
  readonly clock: Pick<Clock, 'now'>;
  readonly onFault: (error: unknown) => void;
}

export class ReplayCharges {
  readonly #options: ReplayChargesOptions;

  constructor(options: ReplayChargesOptions) {
    this.#options = options;
  }

  /** Why the account cannot have so many units, null when they are reserved; `id` is used once. */
  async reserve(id: string, caller: Caller, units: number): Promise<StartRefusal | null> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const { entitlements } = caller;
    if (entitlements.limits.computeBudget === 0) {
      return { code: 'FORBIDDEN', message: 'The plan has no budget for replays of history.' };
    }
    const reserving = store.reserve(now, {
      id,
      accountId: caller.accountId,
      keyId: caller.keyId,
      budget: 'computeUnits',
      amount: units,
      ...entitlements.counted('computeBudget'),
      period: periodOf(now),
      expiresAt: (now + RESERVED_FOR_NS) as EpochNs,
    });
    const verdict = await reserving.catch(unavailable);
    if ('code' in verdict) return verdict;
    if (verdict.granted) return null;
    const { remaining } = verdict;
    const message = `The replay's next page costs ${units} compute units; ${remaining} remain this month.`;
    return { code: 'QUOTA_EXCEEDED', message };
  }

  settle(id: string, units: number): void {
    const { store, clock, onFault } = this.#options;
    store.settle(clock.now(), id, { amount: units }).catch(onFault);
  }

  giveBack(id: string): void {
    const { store, clock, onFault } = this.#options;
    store.voidReservation(clock.now(), id).catch(onFault);
  }
}

/** What is charged waits for better times; what is live goes on. */
function unavailable(error: unknown): StartRefusal {
  if (!(error instanceof AccountsUnavailableError)) throw error;
  return { code: 'CAPACITY', message: 'Accounts cannot be asked at the moment; try again soon.' };
}
