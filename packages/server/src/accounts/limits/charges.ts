/**
 * Charges work to an account. An amount of the month's budget is reserved before the work starts, then settled or
 * voided, each once. If the process dies, the reservation expires by itself.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { nextRenewal, periodOf } from '@tapeloom/core/quota/month';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Caller } from '../auth/caller.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { Done, OnceRefused } from '../store/once.ts';
import { remainingBudget } from './remaining-budget.ts';

/**
 * The budget that each kind of work is charged to, and how long a reservation outlives a process that died. That is far
 * longer than any work but a download takes. An expired reservation can still be settled. A page and a replay may lose
 * their reservation in a crash of the machine, as if it had expired: that saves a disk sync.
 */
const KINDS = {
  page: of('computeUnits', 600n, false),
  /** Settled, and so on disk, before anything is sent. */
  export: of('computeUnits', 600n, false),
  /** The amount is not known before: a response may start while any budget is left. */
  volume: of('exportBytes', 600n, true),
  /** For an export that begins: its charge carries this reservation to disk. */
  firstVolume: of('exportBytes', 600n, false),
  /** For each of its pages. */
  replay: of('computeUnits', 300n, false),
} as const;
export type ChargeKind = keyof typeof KINDS;

export interface ChargeWish {
  readonly kind: ChargeKind;
  readonly id: string;
  readonly amount: number;
}

export type ChargeStore = Pick<
  AccountStore,
  'reserve' | 'settle' | 'settleOnce' | 'voidReservation' | 'usageOf'
>;

export class Charges {
  readonly #store: ChargeStore;
  readonly #clock: Pick<Clock, 'now'>;

  /** `clock` is the accounts' clock. */
  constructor(store: ChargeStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects when the month has too little budget left; an `id` is used once. */
  async reserve(
    kind: ChargeKind,
    id: string,
    { accountId, keyId, entitlements }: Caller,
    amount: number,
  ): Promise<void> {
    const { budget, limit, reservedForNs, isSynced } = KINDS[kind];
    if (kind === 'replay' && entitlements.limits[limit] === 0) {
      const detail = 'Your plan has no budget for replays of history.';
      throw Refusal.ofQuestion({ code: 'FORBIDDEN', detail });
    }
    const now = this.#clock.now();
    const verdict = await this.#store.reserve(now, {
      id,
      accountId,
      keyId,
      budget,
      amount,
      ...entitlements.counted(limit),
      period: periodOf(now),
      expiresAt: (now + reservedForNs) as EpochNs,
      isSynced,
    });
    if (verdict.granted) return;
    const { remaining } = verdict;
    // Never more than the time that is left, except in the last second.
    const renewsInSeconds = Math.max(1, Number((nextRenewal(now) - now) / SECOND_NS_BIG));
    throw new Refusal({ t: 'over-budget', budget, amount, remaining, renewsInSeconds });
  }

  /** Reserves all or nothing; rejects with the first rejection. */
  async reserveAll(caller: Caller, wishes: readonly ChargeWish[]): Promise<void> {
    const reserving = wishes.map(({ kind, id, amount }) => this.reserve(kind, id, caller, amount));
    const outcomes = await Promise.allSettled(reserving);
    const refused = outcomes.find(({ status }) => status === 'rejected');
    if (refused === undefined) return;
    const granted = wishes.filter((_, at) => outcomes[at]!.status === 'fulfilled');
    for (const { id } of granted) await this.giveBack(id);
    await reserving[outcomes.indexOf(refused)];
  }

  async settle(id: string, amount: number, historyItems = 0): Promise<void> {
    await this.#store.settle(this.#clock.now(), id, { amount, historyItems });
  }

  /** Settles and records what was done, or does neither and returns why. */
  async settleOnce(
    id: string,
    amount: number,
    done: Done,
    historyItems = 0,
  ): Promise<OnceRefused | null> {
    return await this.#store.settleOnce(this.#clock.now(), id, { amount, historyItems }, done);
  }

  async giveBack(id: string): Promise<void> {
    await this.#store.voidReservation(this.#clock.now(), id);
  }

  async remaining(kind: ChargeKind, { accountId, entitlements }: Caller): Promise<number> {
    const now = this.#clock.now();
    const usage = await this.#store.usageOf(now, accountId, periodOf(now));
    const { budget, limit } = KINDS[kind];
    return remainingBudget(usage, budget, entitlements.counted(limit));
  }
}

function of<B extends 'computeUnits' | 'exportBytes'>(
  budget: B,
  seconds: bigint,
  isSynced: boolean,
) {
  const limit = budget === 'computeUnits' ? ('computeBudget' as const) : ('exportBytes' as const);
  return { budget, limit, reservedForNs: seconds * SECOND_NS_BIG, isSynced };
}
