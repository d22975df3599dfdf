/**
 * Refunds. A refund at Paddle is an adjustment that Paddle usually has to approve. Its reason contains our key, so the
 * same refund is found, here or after a restart, and not made twice.
 */

import type { Adjustment, Transaction } from '@paddle/paddle-node-sdk';
import type { Clock } from '../../platform/clock.ts';
import { type RefundOutcome, RefundRejectedError, type RefundWish } from '../payment-provider.ts';
import type { PaddleApi } from './paddle-api.ts';
import { fieldFault } from './paddle-fields.ts';
import { PaddleFlights } from './paddle-flights.ts';
import { type PaddlePayment, paidCharges, takenBackOf, totalOf } from './paddle-payment.ts';
import type { PaddleRecords } from './paddle-records.ts';

export class PaddleRefunds {
  readonly #api: PaddleApi;
  readonly #records: PaddleRecords;
  readonly #flights: PaddleFlights<RefundOutcome>;

  constructor(api: PaddleApi, records: PaddleRecords, clock: Clock) {
    this.#api = api;
    this.#records = records;
    this.#flights = new PaddleFlights(clock);
  }

  refund(ref: string, wish: RefundWish, signal: AbortSignal): Promise<RefundOutcome> {
    const name = `${ref} ${wish.key}`;
    return this.#flights.run(name, signal, (inTime) => this.#refund(ref, wish, inTime));
  }

  /** Null: Paddle lists none with this key, and none was made here. */
  async find(ref: string, key: string, signal: AbortSignal): Promise<RefundOutcome | null> {
    const checkout = await this.#records.knownCheckout(ref, signal);
    return this.#known(await this.#records.payment(checkout, signal), ref, key);
  }

  async #refund(ref: string, wish: RefundWish, signal: AbortSignal): Promise<RefundOutcome> {
    const checkout = await this.#records.knownCheckout(ref, signal);
    const payment = await this.#records.payment(checkout, signal);
    const before = this.#known(payment, ref, wish.key);
    if (before !== null) return before;
    const reason = reasonOf(wish.key);
    const [newest] = paidCharges(payment);
    if (newest === undefined) return 'nothing';
    const { amountMinor, isAll, outcome } = amountOf(newest, payment, wish);
    if (outcome !== null) return outcome;
    const adjustment = await this.#api.ask('refund', signal, (paddle) =>
      paddle.adjustments.create(
        isAll
          ? { action: 'refund', transactionId: newest.id, reason, type: 'full' }
          : {
              action: 'refund',
              transactionId: newest.id,
              reason,
              type: 'partial',
              // The refund includes its part of the tax.
              taxMode: 'internal',
              items: [{ itemId: itemOf(newest), type: 'partial', amount: String(amountMinor) }],
            },
      ),
    );
    const made = outcomeOf(adjustment);
    this.#flights.remember(`${ref} ${wish.key}`, made);
    return made;
  }

  #known({ adjustments }: PaddlePayment, ref: string, key: string): RefundOutcome | null {
    const listed = adjustments.find(({ reason }) => reason === reasonOf(key));
    if (listed !== undefined) return outcomeOf(listed);
    return this.#flights.known(`${ref} ${key}`) ?? null;
  }
}

interface Amount {
  readonly amountMinor: number;
  /** The whole charge, without earlier refunds. */
  readonly isAll: boolean;
  /** Not null: there is nothing to request. */
  readonly outcome: RefundOutcome | null;
}

function amountOf(charge: Transaction, payment: PaddlePayment, wish: RefundWish): Amount {
  const total = totalOf(charge);
  const taken = takenBackOf(charge, payment.adjustments);
  const { refundedMinor, pendingMinor, disputedMinor } = taken;
  const left = total - refundedMinor - pendingMinor - disputedMinor;
  if (left <= 0) {
    const outcome = pendingMinor > 0 ? 'pending' : 'nothing';
    return { amountMinor: 0, isAll: false, outcome };
  }
  const amountMinor = Math.min(wish.amountMinor ?? left, left);
  if (amountMinor < left && charge.currencyCode !== agreedCurrency(payment)) {
    throw new RefundRejectedError(
      'paddle charged in another currency: a part of it cannot be named',
    );
  }
  return { amountMinor, isAll: amountMinor === total, outcome: null };
}

function agreedCurrency({ checkout }: PaddlePayment): string | undefined {
  return checkout.items[0]?.price?.unitPrice.currencyCode;
}

function itemOf({ details }: Transaction): string {
  const id = details?.lineItems[0]?.id;
  if (id === undefined) throw fieldFault('details.line_items', null);
  return id;
}

function reasonOf(key: string): string {
  return `tapeloom ${key}`;
}

function outcomeOf({ id, status }: Adjustment): RefundOutcome {
  switch (status) {
    case 'approved':
      return 'done';
    case 'pending_approval':
      return 'pending';
    case 'rejected':
    case 'reversed':
      throw new RefundRejectedError(
        `paddle ${status} the refund ${id}: settle it in its dashboard`,
      );
    default:
      throw fieldFault('adjustment.status', status satisfies never);
  }
}
