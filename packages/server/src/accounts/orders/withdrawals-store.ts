/**
 * The part of the account store about withdrawals from orders, and about how long orders are kept. As in the store
 * itself, every method is one transaction, and callers say what time it is. What was declared is written once and
 * stays; with it the order's rights end. What became of it is noted beside it, until everything is done.
 */

import type { Share, WithdrawalVerdict } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';
import type { OrderRecord } from './orders-store.ts';

/** The longest that one waits to be tried again. */
export const WITHDRAWAL_WITHIN_NS = 6n * HOUR_NS_BIG;

/**
 * `open`: the subscription has to end, or the money has to be asked for. `pending`: the provider decides about the
 * money. `by_hand`: the operator has to give the money back.
 */
export const WITHDRAWAL_STATES = ['open', 'pending', 'by_hand', 'done'] as const;
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number];

export type WithdrawalCounts = Readonly<Partial<Record<WithdrawalState, number>>>;

/** What somebody declares. */
export interface Declaration {
  readonly via: 'portal' | 'operator';
  /** Where they were; null: the operator declared it for them. */
  readonly address: string | null;
  readonly sessionId: string | null;
  /** Of what is withdrawn from, as people know it. */
  readonly offerName: string;
  /** As they wrote it; null: they left it out. */
  readonly name: string | null;
  /** Where the receipt goes; null: the account has no owner any more. */
  readonly email: string | null;
}

export interface WithdrawalRecord extends Omit<Declaration, 'offerName' | 'name'>, Share {
  readonly orderId: string;
  readonly accountId: string;
  readonly at: EpochNs;
  /** The declaration in words, and its digest. */
  readonly statement: string;
  readonly statementSha256: string;
  /** What the customer was told that comes back of the price. */
  readonly amountMinor: number;
  readonly state: WithdrawalState;
  /** The charge, what was given back of it before, and what the provider is asked to give back; null: not decided. */
  readonly refund: DecidedRefund | null;
  /** When the receipt was mailed. */
  readonly toldAt: EpochNs | null;
  /** When nothing could be charged any more. */
  readonly endedAt: EpochNs | null;
  /** When the money was given back, or it was clear that none is to be. */
  readonly refundedAt: EpochNs | null;
  /** How often it was taken: whoever took it last holds it. */
  readonly taken: number;
  /** When the refund was asked for at a provider without idempotency keys; null: not, or nothing came of it. */
  readonly refundAskedAt: EpochNs | null;
  readonly attempts: number;
  /** When something is to be tried again, or its holder loses it; null: all is done. */
  readonly tryAt: EpochNs | null;
  readonly fault: string | null;
}

export interface DecidedRefund {
  readonly chargeId: string;
  readonly beforeMinor: number;
  readonly minor: number;
}

export interface Declared {
  readonly order: OrderRecord;
  readonly withdrawal: WithdrawalRecord;
  /** False: it was declared before, and nothing changed. */
  readonly isNew: boolean;
}

export type WithdrawalRefused =
  | { readonly refused: 'no-order' }
  | {
      readonly refused: 'no-right';
      readonly why: Extract<WithdrawalVerdict, { readonly may: false }>['why'];
      readonly order: OrderRecord;
    };

/** A withdrawal in the hands of the node that took it. */
export type HeldWithdrawal = Pick<WithdrawalRecord, 'orderId' | 'taken'>;

/** A step towards the end, after which its holder has it until then. */
export type WithdrawalStep = { readonly heldUntil: EpochNs } & (
  | { readonly endedAt: EpochNs }
  | { readonly refund: DecidedRefund }
  /** Null: the call is over, and nothing came of it. */
  | { readonly refundAskedAt: EpochNs | null }
);

/** What became of it. */
export type WithdrawalProgress =
  | WithdrawalStep
  | { readonly state: 'done'; readonly refundedAt: EpochNs }
  /** To be tried again then; `fault`: what went wrong last. */
  | {
      readonly state: Exclude<WithdrawalState, 'done'>;
      readonly tryAt: EpochNs;
      readonly fault: string | null;
    };

export interface WithdrawalsStore {
  /** The newest first. */
  withdrawalsOf(accountId: string): Promise<readonly WithdrawalRecord[]>;
  withdrawalOf(order: Pick<OrderRecord, 'id'>): Promise<WithdrawalRecord | null>;
  /**
   * Declares the withdrawal, if it may be declared now, with the order's words and amount of that moment; the
   * rights that the order grants end with it, and its receipt is owed. `accountId` null: for operators, of any account.
   */
  declare(
    call: StoreCall,
    wish: { readonly accountId: string | null; readonly orderId: string } & Declaration,
  ): Promise<Declared | WithdrawalRefused>;
  /** False: another node has taken it since, and nothing changed. */
  noteProgress(held: HeldWithdrawal, progress: WithdrawalProgress): Promise<boolean>;
  /**
   * Takes one of which something is to be done by now: until then nobody else gets it, on this machine or another. Null
   * when somebody else has it, or nothing is to be done.
   */
  takeWithdrawal(
    order: Pick<OrderRecord, 'id'>,
    now: EpochNs,
    until: EpochNs,
  ): Promise<WithdrawalRecord | null>;
  /** Those of which something is to be done by now, the longest waiting first. */
  dueWithdrawals(now: EpochNs, limit: number): Promise<readonly WithdrawalRecord[]>;
  /** How many are not settled, by their state. */
  waitingWithdrawals(): Promise<WithdrawalCounts>;

  /**
   * Removes orders, consents and withdrawals of accounts that were deleted before this instant, at most so many
   * orders; how many. Of accounts that were deleted later, or not at all, nothing ever goes.
   */
  forgetOrders(deletedBefore: EpochNs, limit: number): Promise<number>;
}
