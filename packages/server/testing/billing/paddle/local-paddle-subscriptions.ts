/** The subscriptions of a Paddle account in memory, and how time changes them. */

import type { ISubscriptionResponse, ITransactionResponse } from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import { instantOf, paddleTime } from '../../../src/billing/paddle/paddle-fields.ts';
import { monthsAfter } from '../../../src/test-provider/test-payment.ts';
import { LocalPaddleLedger, LocalRefusal } from './local-paddle-ledger.ts';
import { subscriptionShape, transactionShape } from './local-paddle-shapes.ts';

const DAY_NS = 86_400_000_000_000n;
/** How long a failed renewal is retried. */
const DUNNING_NS = 14n * DAY_NS;

export class LocalPaddleSubscriptions extends LocalPaddleLedger {
  /** Subscriptions whose card is declined. */
  readonly brokenCards = new Set<string>();

  cancelSubscription(id: string, from: string): ISubscriptionResponse {
    const subscription = this.subscriptions.get(id)!;
    const { status, scheduled_change: change, current_billing_period: period } = subscription;
    if (status === 'canceled') {
      throw new LocalRefusal(400, 'subscription_update_when_canceled', 'subscription is canceled');
    }
    if (from === 'immediately') return this.#end(subscription, this.now);
    if (change) {
      const detail = 'cannot update subscription, pending scheduled changes';
      throw new LocalRefusal(400, 'subscription_locked_pending_changes', detail);
    }
    const effectiveAt = period!.ends_at;
    return this.change(
      subscription,
      {
        scheduled_change: { action: 'cancel', effective_at: effectiveAt, resume_at: null },
        next_billed_at: null,
      },
      'subscription.updated',
    );
  }

  unschedule(id: string): ISubscriptionResponse {
    const subscription = this.subscriptions.get(id)!;
    const next = subscription.current_billing_period?.ends_at ?? null;
    const change = { scheduled_change: null, next_billed_at: next };
    return this.change(subscription, change, 'subscription.updated');
  }

  pause(id: string): ISubscriptionResponse {
    const change = { status: 'paused', paused_at: this.now, current_billing_period: null } as const;
    return this.change(this.subscriptions.get(id)!, change, 'subscription.paused');
  }

  /** A working card pays what is due. */
  mendCard(subscriptionId: string): void {
    this.brokenCards.delete(subscriptionId);
    const due = [...this.transactions.values()].findLast(
      (one) => one.subscription_id === subscriptionId && one.status === 'past_due',
    )!;
    const subscription = this.subscriptions.get(subscriptionId)!;
    this.change(subscription, { status: 'active' }, 'subscription.updated');
    this.complete(due);
  }

  #step(subscription: ISubscriptionResponse): boolean {
    const now = this.clock.now();
    const { status, scheduled_change: change, current_billing_period: period } = subscription;
    if (status === 'canceled' || status === 'paused' || !period) return false;
    if (change && instantOf('effective_at', change.effective_at) <= now) {
      this.#end(subscription, change.effective_at);
      return true;
    }
    if (status === 'past_due') {
      if (instantOf('starts_at', period.starts_at) + DUNNING_NS > now) return false;
      this.#end(subscription, this.now);
      return true;
    }
    if (change || instantOf('ends_at', period.ends_at) > now) return false;
    this.#renew(subscription);
    return true;
  }

  #renew(subscription: ISubscriptionResponse): void {
    const period = {
      starts_at: subscription.current_billing_period!.ends_at,
      ends_at: paddleTime(this.#nextPeriod(subscription)),
    };
    const transaction = transactionShape(this.stamp('txn'), {
      origin: 'subscription_recurring',
      customerId: subscription.customer_id,
      addressId: subscription.address_id,
      price: subscription.items[0]!.price,
      taxPercent: this.taxOf(subscription.address_id),
      customData: subscription.custom_data ?? null,
      lineItemId: this.newId('txnitm'),
    });
    transaction.subscription_id = subscription.id;
    transaction.billing_period = period;
    this.keep(this.transactions, transaction, 'transaction.created');
    const isBroken = this.brokenCards.has(subscription.id);
    this.change(
      subscription,
      {
        status: isBroken ? 'past_due' : 'active',
        current_billing_period: period,
        next_billed_at: period.ends_at,
      },
      isBroken ? 'subscription.past_due' : 'subscription.updated',
    );
    if (isBroken) this.change(transaction, { status: 'past_due' }, 'transaction.past_due');
    else this.complete(transaction);
  }

  /** The same day of the month as the start. */
  #nextPeriod(subscription: ISubscriptionResponse): EpochNs {
    const first = instantOf('started_at', subscription.started_at);
    const end = instantOf('ends_at', subscription.current_billing_period!.ends_at);
    let months = 1;
    while (monthsAfter(first, months) <= end) months += 1;
    return monthsAfter(first, months);
  }

  subscribe(transaction: ITransactionResponse): void {
    const endsAt = paddleTime(monthsAfter(this.clock.now(), 1));
    const subscription = subscriptionShape(this.stamp('sub'), transaction, endsAt);
    this.keep(this.subscriptions, subscription, 'subscription.created');
    this.tell('subscription.activated', subscription);
    transaction.subscription_id = subscription.id;
    transaction.billing_period = subscription.current_billing_period!;
  }

  complete(transaction: ITransactionResponse): ITransactionResponse {
    const { now } = this;
    const attempt = this.newId('pay');
    const change = {
      status: 'completed',
      billed_at: now,
      invoice_id: this.newId('inv'),
      invoice_number: `325-${this.transactions.size}`,
      payments: [
        {
          payment_attempt_id: attempt,
          stored_payment_method_id: attempt,
          payment_method_id: null,
          amount: transaction.details!.totals!.grand_total,
          status: 'captured',
          error_code: null,
          method_details: null,
          created_at: now,
          captured_at: now,
        },
      ],
    } as const;
    return this.change(
      transaction,
      { ...change, payments: [...change.payments] },
      'transaction.completed',
    );
  }

  #end(subscription: ISubscriptionResponse, at: string): ISubscriptionResponse {
    const change = {
      status: 'canceled',
      canceled_at: at,
      scheduled_change: null,
      current_billing_period: null,
      next_billed_at: null,
    } as const;
    return this.change(subscription, change, 'subscription.canceled');
  }

  /** Advances the subscriptions to the present time. */
  passSubscriptions(): void {
    for (const subscription of this.subscriptions.values()) {
      while (this.#step(subscription)) {
        // Several periods may have passed.
      }
    }
  }
}
