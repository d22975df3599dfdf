/**
 * The part of the account store about withdrawals from orders, and about how long orders are kept. As in the whole
 * store, every method is one transaction, and callers pass the time. A declaration is written once, never changes, and
 * ends the order's grants. Its progress is stored beside it until all is done.
 */

import type { Share, WithdrawalVerdict } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG } from '@tapeloom/core/units';
import type { StoreCall } from '../store/store-call.ts';
import type { OrderRecord } from './orders-store.ts';

/** The longest wait before a withdrawal is retried. */
export const WITHDRAWAL_WITHIN_NS = 6n * HOUR_NS_BIG;

/**
 * `open`: the subscription must end, or the refund must be requested. `pending`: the provider decides about the refund.
 * `by_hand`: the operator must refund the money.
 */
export const WITHDRAWAL_STATES = ['open', 'pending', 'by_hand', 'done'] as const;
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number];

export type WithdrawalCounts = Readonly<Partial<Record<WithdrawalState, number>>>;

export interface Declaration {
  readonly via: 'portal' | 'operator';
  /** The customer's network address; null: the operator declared it for the customer. */
  readonly address: string | null;
  readonly sessionId: string | null;
  /** The public name of the offer. */
  readonly offerName: string;
  /** As the customer wrote it; null: left out. */
  readonly name: string | null;
  /** The recipient of the receipt; null: the account has no owner any more. */
  readonly email: string | null;
}

export interface WithdrawalRecord extends Omit<Declaration, 'offerName' | 'name'>, Share {
  readonly orderId: string;
  readonly accountId: string;
  readonly at: EpochNs;
  /** The text of the declaration, and its digest. */
  readonly statement: string;
  readonly statementSha256: string;
  /** The part of the price that the customer was promised back. */
  readonly amountMinor: number;
  readonly state: WithdrawalState;
  /** Null: not decided yet. */
  readonly refund: DecidedRefund | null;
  /** When the receipt was mailed. */
  readonly toldAt: EpochNs | null;
  /** From when on nothing more could be charged. */
  readonly endedAt: EpochNs | null;
  /** When the money was refunded, or it was clear that none is due. */
  readonly refundedAt: EpochNs | null;
  /** How often it was taken; the last taker holds it. */
  readonly taken: number;
  /** When the refund was requested from a provider without idempotency keys; null: never, or without effect. */
  readonly refundAskedAt: EpochNs | null;
  readonly attempts: number;
  /** When to retry, or when its holder loses it; null: all is done. */
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

/** A withdrawal that this node has taken. */
export type HeldWithdrawal = Pick<WithdrawalRecord, 'orderId' | 'taken'>;

/** A completed step, after which the holder keeps it until then. */
export type WithdrawalStep = { readonly heldUntil: EpochNs } & (
  | { readonly endedAt: EpochNs }
  | { readonly refund: DecidedRefund }
  /** Null: the request is over and had no effect. */
  | { readonly refundAskedAt: EpochNs | null }
);

export type WithdrawalProgress =
  | WithdrawalStep
  | { readonly state: 'done'; readonly refundedAt: EpochNs }
  /** To retry at `tryAt`; `fault` is the last failure. */
  | {
      readonly state: Exclude<WithdrawalState, 'done'>;
      readonly tryAt: EpochNs;
      readonly fault: string | null;
    };

export interface WithdrawalsStore {
  /** Newest first. */
  withdrawalsOf(accountId: string): Promise<readonly WithdrawalRecord[]>;
  withdrawalOf(order: Pick<OrderRecord, 'id'>): Promise<WithdrawalRecord | null>;
  /**
   * Declares the withdrawal if that is possible now, with the text and amount of that moment. It ends the order's
   * grants, and the receipt is owed. `accountId` null, for operators: any account.
   */
  declare(
    call: StoreCall,
    wish: { readonly accountId: string | null; readonly orderId: string } & Declaration,
  ): Promise<Declared | WithdrawalRefused>;
  /** False: another node has taken it since, and nothing changed. */
  noteProgress(held: HeldWithdrawal, progress: WithdrawalProgress): Promise<boolean>;
  /** Takes a due withdrawal: until `until` no other caller gets it. Null when another has it or nothing is due. */
  takeWithdrawal(
    order: Pick<OrderRecord, 'id'>,
    now: EpochNs,
    until: EpochNs,
  ): Promise<WithdrawalRecord | null>;
  /** Due withdrawals, the longest waiting first. */
  dueWithdrawals(now: EpochNs, limit: number): Promise<readonly WithdrawalRecord[]>;
  /** How many are not settled, by state. */
  waitingWithdrawals(): Promise<WithdrawalCounts>;

  /**
   * Removes orders, consents and withdrawals of accounts deleted before this instant, at most `limit` orders; returns
   * how many. Data of other accounts is never removed.
   */
  forgetOrders(deletedBefore: EpochNs, limit: number): Promise<number>;
}
