/**
 * Withdrawals, from the declaration to the refund. A declaration is recorded whatever the provider's state: it is valid
 * at once, ends the order's grants, and its receipt is owed. The end and the refund are requested until done, across
 * restarts. Every step can be repeated: a decision is stored before its request, and the refunded amount is read before
 * a new request. A node writes only while it holds the withdrawal, and requests a refund once (decision 0092).
 */

import { mayCharge } from '@tapeloom/core/entitlement/payment';
import { refundOf } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import { normalEmail } from '@tapeloom/core/person/email-address';
import { HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { OrderRecord } from '../accounts/orders/orders-store.ts';
import { withdrawalStatement } from '../accounts/orders/withdrawal-statement.ts';
import {
  type DecidedRefund,
  type Declared,
  type HeldWithdrawal,
  WITHDRAWAL_WITHIN_NS,
  type WithdrawalCounts,
  type WithdrawalProgress,
  type WithdrawalRecord,
  type WithdrawalRefused,
} from '../accounts/orders/withdrawals-store.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Actor } from '../accounts/store/store-call.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/log.ts';
import { SerialQueues } from '../platform/waiting/serial-queue.ts';
import type { OfferBook } from './offer-book.ts';
import {
  type Receipt,
  type RefundOutcome,
  RefundRejectedError,
  type RefundWish,
  UpstreamError,
} from './payment-provider.ts';
import type { Payments } from './payments.ts';
import { UnattendedWork } from './unattended-work.ts';

/** The retry wait doubles from a minute up to an hour. */
const DOUBLINGS_MAX = 6;
/** How long a node holds a withdrawal after each step: longer than the provider's time limit. */
const TAKEN_FOR_NS = MINUTE_NS_BIG;
/** The most withdrawals of one round; the rest is left for the next. */
const ROUND_MAX = 100;
/** How often a withdrawal that needs the operator is checked again. */
const BY_HAND_EVERY_NS = WITHDRAWAL_WITHIN_NS;
const FAULT_LENGTH_MAX = 500;
/** How long a refund with an unknown outcome is searched for at its provider. */
const SOUGHT_NS = HOUR_NS_BIG;

/** Another node has taken the withdrawal: further work of this one is invalid. */
class HoldLostError extends Error {}

export interface WithdrawalsOptions {
  readonly store: AccountStore;
  readonly payments: Payments;
  readonly offers: () => OfferBook;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WithdrawalWish {
  readonly accountId: string;
  readonly orderId: string;
  readonly sessionId: string | null;
  readonly address: string | null;
  readonly name: string | null;
}

export interface FormWish {
  readonly orderId: string;
  readonly email: string;
  readonly name: string | null;
}

export class Withdrawals {
  readonly #options: WithdrawalsOptions;
  readonly #queues = new SerialQueues();
  readonly #work: UnattendedWork<void>;
  #declaredTotal = 0;
  #waiting: WithdrawalCounts = {};

  constructor(options: WithdrawalsOptions) {
    this.#options = options;
    this.#work = new UnattendedWork(options.log, 'a withdrawal could not be carried out yet');
  }

  get declaredTotal(): number {
    return this.#declaredTotal;
  }

  /** Unsettled withdrawals by state, as of the last round. */
  get waiting(): WithdrawalCounts {
    return this.#waiting;
  }

  /** Newest first. */
  withdrawalsOf(accountId: string): Promise<readonly WithdrawalRecord[]> {
    return this.#options.store.withdrawals.withdrawalsOf(accountId);
  }

  async withdrawalOf(order: OrderRecord): Promise<WithdrawalRecord | null> {
    if (order.withdrawnAt === null) return null;
    return this.#options.store.withdrawals.withdrawalOf(order);
  }

  /** The text of a declaration, without the name and the time. */
  statementOf(order: OrderRecord, { email }: { readonly email: string }): string {
    const offerName = this.#nameOf(order);
    return withdrawalStatement({ order, offerName, name: null, email, at: null });
  }

  /** Records it or returns why not; a repeated declaration changes nothing. It is carried out afterwards. */
  async declare(wish: WithdrawalWish): Promise<Declared | WithdrawalRefused> {
    const { store, clock, log } = this.#options;
    const order = await store.orders.findOrder(wish.accountId, wish.orderId);
    if (order === null) return { refused: 'no-order' };
    if (order.withdrawnAt === null) await this.#lookIfPossible(order);
    const owner = await store.people.ownerOf(order.accountId);
    const actor: Actor = { kind: 'owner' };
    const declared = await store.withdrawals.declare(
      { now: clock.now(), actor },
      {
        ...wish,
        via: 'portal',
        offerName: this.#nameOf(order),
        email: owner?.email ?? null,
      },
    );
    if ('refused' in declared || !declared.isNew) return declared;
    this.#declaredTotal += 1;
    const { id, provider } = declared.order;
    const { amountMinor, via } = declared.withdrawal;
    log.info({ order: id, provider, amountMinor, via }, 'an order was withdrawn from');
    this.#work.inBackground(this.#inTurn(id));
    return declared;
  }

  /** For a customer without a session: the order's number and its account's address must both be right. */
  async declareAs(wish: FormWish): Promise<Declared | WithdrawalRefused> {
    const { store } = this.#options;
    const order = await store.orders.findOrder(null, wish.orderId);
    const owner = order === null ? null : await store.people.ownerOf(order.accountId);
    const isTheirs =
      owner !== null && normalEmail(wish.email)?.key === normalEmail(owner.email)?.key;
    if (order === null || !isTheirs) return { refused: 'no-order' };
    const { accountId, id: orderId } = order;
    return this.declare({ accountId, orderId, sessionId: null, address: null, name: wish.name });
  }

  /** Carries out what is due. */
  carryOut(): Promise<void> {
    return this.#work.round(() => this.#carryOut());
  }

  /** Resolves when no work is in progress. */
  idle(): Promise<void> {
    return this.#work.idle();
  }

  async #carryOut(): Promise<void> {
    const { store, clock } = this.#options;
    for (const { orderId } of await store.withdrawals.dueWithdrawals(clock.now(), ROUND_MAX)) {
      await this.#inTurn(orderId);
    }
    this.#waiting = await store.withdrawals.waitingWithdrawals();
  }

  #nameOf({ offer }: OrderRecord): string {
    return this.#options.offers().offers.find(({ id }) => id === offer)?.name ?? offer;
  }

  /** A payment made just now counts; if the provider fails, the stored state does. */
  async #lookIfPossible(order: OrderRecord): Promise<void> {
    try {
      await this.#options.payments.look(order);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#options.log.warn({ error, order: order.id }, 'a withdrawal is judged by what is known');
    }
  }

  #inTurn(orderId: string): Promise<void> {
    return this.#queues.run(orderId, async () => {
      const { store, clock, log } = this.#options;
      const withdrawal = await store.withdrawals.withdrawalOf({ id: orderId });
      const order = await store.orders.findOrder(null, orderId);
      if (withdrawal === null || order === null) return;
      const now = clock.now();
      if (withdrawal.tryAt === null) return;
      // At a provider without idempotency keys, two machines would refund twice.
      const held = await store.withdrawals.takeWithdrawal(order, now, this.#heldUntil());
      if (held === null) return;
      try {
        await this.#proceed(order, held);
      } catch (error) {
        if (!(error instanceof HoldLostError)) throw error;
        log.warn({ order: orderId }, 'another node has taken over a withdrawal');
      }
    });
  }

  async #proceed(order: OrderRecord, withdrawal: WithdrawalRecord): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#end(order, withdrawal);
      if (!(await this.#giveBack(order, withdrawal))) return;
      await this.#note(withdrawal, { state: 'done', refundedAt: clock.now() });
      log.info({ order: order.id }, 'a withdrawal is settled');
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (error instanceof RefundRejectedError) {
        await this.#needsOperator(order, withdrawal, error.message);
      } else await this.#putOff(order, withdrawal, error);
    }
  }

  /** Nothing is charged after it. A paid purchase has nothing to end. */
  async #end(order: OrderRecord, withdrawal: WithdrawalRecord): Promise<void> {
    const { payments, clock } = this.#options;
    if (withdrawal.endedAt !== null) return;
    await payments.provider(order.provider).cancelNow(order.ref);
    const after = await payments.look(order);
    const isTakenBack = after.state === 'disputed' || after.state === 'refunded';
    if (mayCharge(after) && !isTakenBack) {
      throw new UpstreamError(`${order.provider} did not end ${order.ref}`);
    }
    await this.#note(withdrawal, { endedAt: clock.now(), heldUntil: this.#heldUntil() });
  }

  /** Whether nothing is left to refund. */
  async #giveBack(order: OrderRecord, withdrawal: WithdrawalRecord): Promise<boolean> {
    const { payments } = this.#options;
    const provider = payments.provider(order.provider);
    const receipts = await provider.receipts(order);
    const refund = withdrawal.refund ?? (await this.#decide(order, withdrawal, receipts));
    if (refund === null) return true;
    const charge = receipts.find(({ id }) => id === refund.chargeId);
    if (charge === undefined) throw new UpstreamError(`${order.provider} lists no charge any more`);
    // The provider may count a refund that it has not decided yet, and may still reject it.
    if (withdrawal.state === 'pending' || !isGivenBack(charge, refund)) {
      const wish = { key: `withdrawal:${order.id}`, amountMinor: stillDue(charge, refund) };
      const outcome = await this.#refund(order, withdrawal, wish);
      if (outcome === 'unknown') return this.#needsOperator(order, withdrawal, unknownIn(order));
      const { state } = await payments.look(order);
      if (outcome === 'pending') return this.#waitForDecision(withdrawal);
      if (outcome === 'nothing') {
        const why =
          state === 'disputed'
            ? "the buyer's bank has the money or asks for it: nothing is due unless you win it back"
            : `${order.provider} had nothing to give back`;
        return this.#needsOperator(order, withdrawal, why);
      }
    }
    const left = earlierLeft(withdrawal, charge, receipts);
    if (left === null) return true;
    const what = `${left.minor} of the earlier charge ${left.id} are to be given back by hand`;
    return this.#needsOperator(order, withdrawal, what);
  }

  /** `unknown`: a node requested it and did not return, and the provider does not list it. */
  async #refund(
    order: OrderRecord,
    withdrawal: WithdrawalRecord,
    wish: RefundWish,
  ): Promise<RefundOutcome | 'unknown'> {
    const { payments, clock } = this.#options;
    const provider = payments.provider(order.provider);
    if (provider.hasRefundKeys) return provider.refund(order, wish);
    const asked = withdrawal.refundAskedAt;
    if (asked !== null) {
      const found = await provider.findRefund(order, wish.key);
      if (found !== null || clock.now() >= asked + SOUGHT_NS) return found ?? 'unknown';
      throw new UpstreamError(`${order.provider} does not list the refund that was asked for yet`);
    }
    // From here on no other node requests it, whatever becomes of this one.
    const heldUntil = this.#heldUntil();
    await this.#note(withdrawal, { refundAskedAt: clock.now(), heldUntil });
    let outcome: RefundOutcome | null = null;
    try {
      outcome = await provider.refund(order, wish);
      return outcome;
    } finally {
      // The call is over, so a retry is safe: `refund` first looks for this key in the provider's list.
      const isMade = outcome === 'done' || outcome === 'pending';
      if (!isMade) await this.#note(withdrawal, { refundAskedAt: null, heldUntil });
    }
  }

  async #waitForDecision(withdrawal: HeldWithdrawal): Promise<false> {
    const again = { tryAt: this.#after(HOUR_NS_BIG), fault: null };
    await this.#note(withdrawal, { state: 'pending', ...again });
    return false;
  }

  /** The withdrawal is checked from time to time until the operator has acted. */
  async #needsOperator(
    order: OrderRecord,
    withdrawal: WithdrawalRecord,
    fault: string,
  ): Promise<false> {
    const { log } = this.#options;
    if (withdrawal.state !== 'by_hand')
      log.error({ order: order.id, fault }, 'a withdrawal needs the operator');
    const again = { tryAt: this.#after(BY_HAND_EVERY_NS), fault };
    await this.#note(withdrawal, { state: 'by_hand', ...again });
    return false;
  }

  /** The refund from the newest charge; null: nothing was charged, or nothing is due. */
  async #decide(
    order: OrderRecord,
    withdrawal: WithdrawalRecord,
    receipts: readonly Receipt[],
  ): Promise<DecidedRefund | null> {
    const { store } = this.#options;
    const charge = receipts.find(isTaken);
    const isPaid = (await store.orders.findOrder(null, order.id))?.paidAt !== null;
    if (charge === undefined) {
      if (isPaid) throw new UpstreamError(`${order.provider} lists no charge of ${order.ref} yet`);
      return null;
    }
    const minor = refundOf(withdrawal, charge, order.kind === 'subscription');
    if (minor === 0) return null;
    const refund = { chargeId: charge.id, beforeMinor: charge.refundedMinor, minor };
    await this.#note(withdrawal, { refund, heldUntil: this.#heldUntil() });
    return refund;
  }

  async #putOff(
    order: OrderRecord,
    withdrawal: WithdrawalRecord,
    error: UpstreamError,
  ): Promise<void> {
    const { log } = this.#options;
    const { attempts } = withdrawal;
    const level = attempts === 0 ? 'warn' : 'debug';
    log[level]({ error, order: order.id }, 'a withdrawal waits for its payment provider');
    const tryAt = this.#after(MINUTE_NS_BIG * 2n ** BigInt(Math.min(attempts, DOUBLINGS_MAX)));
    const fault = error.message.slice(0, FAULT_LENGTH_MAX);
    await this.#note(withdrawal, { state: 'open', tryAt, fault });
  }

  async #note(held: HeldWithdrawal, progress: WithdrawalProgress): Promise<void> {
    const isHeld = await this.#options.store.withdrawals.noteProgress(held, progress);
    if (!isHeld) throw new HoldLostError();
  }

  #heldUntil(): EpochNs {
    return this.#after(TAKEN_FOR_NS);
  }

  #after(ns: bigint): EpochNs {
    return (this.#options.clock.now() + ns) as EpochNs;
  }
}

function unknownIn({ provider }: OrderRecord): string {
  return `the outcome of the refund is unknown: check in ${provider} whether it was made; if not, make it there`;
}

function isGivenBack({ refundedMinor, totalMinor }: Receipt, refund: DecidedRefund): boolean {
  return refundedMinor === totalMinor || refundedMinor - refund.beforeMinor >= refund.minor;
}

/** All refunds made meanwhile count. */
function stillDue({ refundedMinor, totalMinor }: Receipt, refund: DecidedRefund): number {
  const given = Math.max(0, refundedMinor - refund.beforeMinor);
  const due = Math.min(refund.minor - given, totalMinor - refundedMinor);
  // Nothing is due for a refund that is pending and counted: it is looked up by its key.
  return due > 0 ? due : refund.minor;
}

/** An invoice over zero cannot be refunded. */
function isTaken({ state, totalMinor }: Receipt): boolean {
  return totalMinor > 0 && (state === 'paid' || state === 'refunded');
}

/**
 * Providers refund from the newest charge. If that was made after the declaration, the amount due from the charge
 * before it is left to the operator; null: none.
 */
function earlierLeft(
  withdrawal: WithdrawalRecord,
  newest: Receipt,
  receipts: readonly Receipt[],
): { readonly id: string; readonly minor: number } | null {
  if (newest.at <= withdrawal.at) return null;
  const earlier = receipts.find((one) => isTaken(one) && one.at <= withdrawal.at);
  if (earlier === undefined) return null;
  const due = refundOf(withdrawal, { ...earlier, refundedMinor: 0 }, true);
  const minor = due - earlier.refundedMinor;
  return minor > 0 ? { id: earlier.id, minor } : null;
}
