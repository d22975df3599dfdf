/** A Paddle account in memory with a manual clock. Buyers, banks and time act as at Paddle. */

import type {
  IAddressResponse,
  IAdjustmentResponse,
  ICustomerResponse,
  ITransactionResponse,
} from '@paddle/paddle-node-sdk';
import { instantOf } from '../../../src/billing/paddle/paddle-fields.ts';
import { LocalRefusal } from './local-paddle-ledger.ts';
import {
  addressShape,
  adjustmentShape,
  customerShape,
  priceShape,
  productShape,
  type TransactionWish,
  transactionShape,
} from './local-paddle-shapes.ts';
import { LocalPaddleSubscriptions } from './local-paddle-subscriptions.ts';

/** As in the sandbox, where Paddle processes refunds every ten minutes. */
const APPROVAL_NS = 600_000_000_000n;
/** Countries for which Paddle requires a postal code. */
const POSTAL_COUNTRIES: readonly string[] = ['US', 'GB', 'CA', 'IN'];

/** The body of `POST /adjustments`. */
export interface RefundBody {
  readonly transaction_id: string;
  readonly reason: string;
  readonly type?: string;
  readonly items?: readonly { readonly item_id: string; readonly amount: string }[];
}

export class LocalPaddleBooks extends LocalPaddleSubscriptions {
  /** `held`: refunds stay undecided, as they may for days. */
  refunds: 'approved' | 'in-ten-minutes' | 'held' = 'approved';

  addCustomer(email: string): ICustomerResponse {
    const known = this.customers.values().find((one) => isSame(one.email, email));
    if (known !== undefined) {
      const detail = `customer email conflicts with customer of id ${known.id}`;
      throw new LocalRefusal(409, 'customer_already_exists', detail);
    }
    return this.keep(this.customers, customerShape(this.stamp('ctm'), email), 'customer.created');
  }

  addAddress(customerId: string, given: Pick<IAddressResponse, 'country_code' | 'postal_code'>) {
    const { country_code: country, postal_code: postal } = given;
    if (POSTAL_COUNTRIES.includes(country) && !postal) {
      throw new LocalRefusal(400, 'bad_request', 'Invalid request.', 'postal_code');
    }
    const address = addressShape(this.stamp('add'), customerId, given);
    return this.keep(this.addresses, address, 'address.created');
  }

  addTransaction(wish: TransactionWish): ITransactionResponse {
    const [item] = wish.items ?? [];
    if (item === undefined) throw new LocalRefusal(400, 'bad_request', 'Invalid request.', 'items');
    const customerId = wish.customer_id ?? null;
    if (customerId !== null && this.customers.get(customerId)?.status !== 'active') {
      throw new LocalRefusal(400, 'transaction_customer_not_suitable', 'customer is not active');
    }
    const product = productShape(this.stamp('pro'), item.price.product);
    this.products.set(product.id, product);
    const addressId = wish.address_id ?? null;
    const transaction = transactionShape(this.stamp('txn'), {
      origin: 'api',
      customerId,
      addressId,
      price: priceShape(this.stamp('pri'), item.price, product),
      taxPercent: this.taxOf(addressId),
      customData: wish.custom_data ?? null,
      lineItemId: this.newId('txnitm'),
    });
    const url = new URL(wish.checkout?.url ?? 'https://default.example/pay');
    url.searchParams.set('_ptxn', transaction.id);
    transaction.checkout = { url: url.href };
    return this.keep(this.transactions, transaction, 'transaction.created');
  }

  /** `PATCH /transactions/{id}`, as far as we use it. */
  patchTransaction(id: string, patch: Partial<ITransactionResponse>): ITransactionResponse {
    const transaction = this.transactions.get(id)!;
    const { status } = transaction;
    if (patch.status !== undefined) {
      if (patch.status !== 'canceled' || !['ready', 'billed'].includes(status)) {
        const detail = `Invalid attempt to change status from '${status}' to '${patch.status}'`;
        throw new LocalRefusal(400, 'transaction_invalid_status_change', detail);
      }
      return this.change(transaction, { status: 'canceled' }, 'transaction.canceled');
    }
    if (status !== 'draft' && status !== 'ready') {
      throw new LocalRefusal(400, 'transaction_immutable', `transaction is ${status}`);
    }
    const addressId = patch.address_id ?? transaction.address_id ?? null;
    const isReady = transaction.customer_id && addressId;
    const change = { address_id: addressId, status: isReady ? 'ready' : status } as const;
    return this.change(transaction, change, 'transaction.updated');
  }

  /** The buyer pays on Paddle's page, and the bank accepts. */
  pay(id: string): ITransactionResponse {
    const transaction = this.transactions.get(id)!;
    if (transaction.status === 'draft') {
      // The buyer completes the missing fields.
      const given = { country_code: 'US', postal_code: '10001' } as const;
      this.patchTransaction(id, {
        address_id: this.addAddress(transaction.customer_id!, given).id,
      });
    }
    if (transaction.status !== 'ready') {
      const detail = `Cannot process payment for ${transaction.status} transaction`;
      throw new LocalRefusal(422, 'transaction_not_ready_cannot_process_payment', detail);
    }
    if (transaction.items[0]!.price!.billing_cycle) this.subscribe(transaction);
    return this.complete(transaction);
  }

  refund(wish: RefundBody): IAdjustmentResponse {
    const transaction = this.transactions.get(wish.transaction_id);
    if (transaction?.status !== 'completed') {
      throw new LocalRefusal(400, 'adjustment_transaction_invalid_status_for_refund', 'not paid');
    }
    const earlier = [...this.adjustments.values()].filter(
      (one) => one.transaction_id === transaction.id && one.action === 'refund',
    );
    if (earlier.some(({ status }) => status === 'pending_approval')) {
      throw new LocalRefusal(400, 'adjustment_pending_refund_request', 'there is one pending');
    }
    const given = earlier.filter(({ status }) => status === 'approved');
    const left =
      Number(transaction.details!.totals!.grand_total) -
      given.reduce((sum, { totals }) => sum + Number(totals.total), 0);
    const totalMinor = wish.type === 'full' ? left : Number(wish.items![0]!.amount);
    if (totalMinor <= 0 || totalMinor > left) {
      const detail = 'adjustment amount is above what remains';
      throw new LocalRefusal(400, 'adjustment_amount_above_remaining_allowed', detail);
    }
    return this.adjust(transaction, {
      action: 'refund',
      status: this.refunds === 'approved' ? 'approved' : 'pending_approval',
      reason: wish.reason,
      totalMinor,
    });
  }

  adjust(
    transaction: ITransactionResponse,
    parts: Pick<IAdjustmentResponse, 'action' | 'status' | 'reason'> & {
      readonly totalMinor: number;
    },
  ): IAdjustmentResponse {
    const adjustment = adjustmentShape(this.stamp('adj'), { transaction, ...parts });
    return this.keep(this.adjustments, adjustment, 'adjustment.created');
  }

  setAdjustment(id: string, status: IAdjustmentResponse['status']): IAdjustmentResponse {
    return this.change(this.adjustments.get(id)!, { status }, 'adjustment.updated');
  }

  /** The buyer's bank disputes the newest charge, or decides the dispute. */
  dispute(transactionId: string, dispute: 'open' | 'won' | 'lost'): void {
    const transaction = this.newestCharge(transactionId);
    if (transaction.status !== 'completed') throw new Error('there is no money to take back');
    const totalMinor = Number(transaction.details!.totals!.grand_total);
    const standing = [...this.adjustments.values()].find(
      (one) =>
        one.transaction_id === transaction.id &&
        one.action === 'chargeback' &&
        one.status === 'approved',
    );
    if ((dispute === 'open') === (standing !== undefined)) throw new Error('a bank asks once');
    if (dispute === 'open') {
      const chargeback = { action: 'chargeback', status: 'approved', reason: 'fraud' } as const;
      this.adjust(transaction, { ...chargeback, totalMinor });
    } else if (dispute === 'won') {
      this.setAdjustment(standing!.id, 'reversed');
      const reverse = { action: 'chargeback_reverse', status: 'approved', reason: 'won' } as const;
      this.adjust(transaction, { ...reverse, totalMinor });
    }
  }

  /** The newest charge of what this transaction started. */
  newestCharge(transactionId: string): ITransactionResponse {
    const checkout = this.transactions.get(transactionId)!;
    if (!checkout.subscription_id) return checkout;
    return [...this.transactions.values()].findLast(
      (one) => one.subscription_id === checkout.subscription_id && one.status === 'completed',
    )!;
  }

  pass(): void {
    this.passSubscriptions();
    if (this.refunds !== 'in-ten-minutes') return;
    for (const { id, status, created_at: at } of this.adjustments.values()) {
      const isDue = instantOf('created_at', at) + APPROVAL_NS <= this.clock.now();
      if (status === 'pending_approval' && isDue) this.setAdjustment(id, 'approved');
    }
  }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
