/**
 * What a buyer is told by mail: once that the order is paid, with everything that was agreed to, as a durable
 * medium; and once for every renewal that failed. A mail is noted after it was handed over, so that a process that
 * dies between the two sends it twice rather than never.
 */

import { PAYMENT_GRACE_NS } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { OrderRecord } from '../accounts/store/orders-store.ts';
import type { WithdrawalRecord } from '../accounts/store/withdrawals-store.ts';
import type { Mailer } from '../mail/mailer.ts';
import { orderConfirmedMail, paymentFailedMail } from '../mail/texts/order-mails.ts';
import { withdrawalReceivedMail } from '../mail/texts/withdrawal-mail.ts';
import type { OfferBook } from './offer-book.ts';

export interface OrderMailsOptions {
  readonly store: Pick<AccountStore, 'orders' | 'people'>;
  readonly mailer: Mailer;
  readonly offers: OfferBook;
  readonly publicUrl: () => string;
}

export class OrderMails {
  readonly #options: OrderMailsOptions;

  constructor(options: OrderMailsOptions) {
    this.#options = options;
  }

  /** Whether there is something to say of the order that was not said before. */
  owes(order: OrderRecord): boolean {
    if (order.withdrawnAt !== null) return false;
    const isUnconfirmed = order.paidAt !== null && order.confirmedAt === null;
    return isUnconfirmed || (order.state === 'past_due' && order.paidUntil !== order.failureTold);
  }

  /** Says that; false: not all of it could be said. */
  async tell(order: OrderRecord, now: EpochNs): Promise<boolean> {
    const { store, mailer } = this.#options;
    if (!this.owes(order)) return true;
    const owner = await store.people.ownerOf(order.accountId);
    if (owner === null) return true;
    const mails = [await this.#confirmation(order, now), this.#failure(order, now)];
    let isSaid = true;
    for (const mail of mails) {
      if (mail === null) continue;
      if (mailer.send({ to: owner.email, ...mail.text })) {
        await store.orders.noteTold(order, mail.told);
      } else {
        isSaid = false;
      }
    }
    return isSaid;
  }

  /** The receipt of a withdrawal; false: it could not be handed over. */
  tellWithdrawal(order: OrderRecord, withdrawal: WithdrawalRecord): boolean {
    if (withdrawal.email === null) return true;
    const { amountMinor, statement, at } = withdrawal;
    const mail = withdrawalReceivedMail({
      orderId: order.id,
      offer: this.#nameOf(order),
      at,
      statement,
      amountMinor,
      currency: order.currency,
      taxIncluded: order.taxIncluded,
      isPart: amountMinor < order.amountMinor,
      ordersLink: this.#ordersLink,
    });
    return this.#options.mailer.send({ to: withdrawal.email, ...mail });
  }

  async #confirmation(order: OrderRecord, now: EpochNs) {
    const { store } = this.#options;
    const { paidAt, paidUntil, amountMinor, currency } = order;
    if (paidAt === null || order.confirmedAt !== null) return null;
    const consent = await store.orders.consentOf(order);
    if (consent === null) return null;
    const { waiverVersion: version, text, at: acceptedAt } = consent;
    const mail = orderConfirmedMail({
      orderId: order.id,
      offer: this.#nameOf(order),
      amountMinor,
      currency,
      taxIncluded: order.taxIncluded,
      interval: order.kind === 'subscription' ? 'month' : null,
      paidAt,
      paidUntil,
      waiver: { version, text, acceptedAt },
      ordersLink: this.#ordersLink,
    });
    return { text: mail, told: { confirmedAt: now } };
  }

  #failure(order: OrderRecord, now: EpochNs) {
    const { state, paidUntil, failureTold } = order;
    if (state !== 'past_due' || paidUntil === null || paidUntil === failureTold) return null;
    const mail = paymentFailedMail({
      offer: this.#nameOf(order),
      failedAt: now,
      endsAt: (paidUntil + PAYMENT_GRACE_NS) as EpochNs,
      ordersLink: this.#ordersLink,
    });
    return { text: mail, told: { failureTold: paidUntil } };
  }

  #nameOf({ offer }: OrderRecord): string {
    return this.#options.offers.offers.find(({ id }) => id === offer)?.name ?? offer;
  }

  get #ordersLink(): string {
    return `${this.#options.publicUrl()}/orders`;
  }
}
