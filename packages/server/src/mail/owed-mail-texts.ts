/** Composes a mail that is owed from what the accounts' database has about it at the time of its delivery. */

import { PAYMENT_GRACE_NS } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { OwedMail } from '../accounts/store/mails-store.ts';
import type { OrderRecord } from '../accounts/store/orders-store.ts';
import type { MailText } from './mailer.ts';
import {
  accountDeletedMail,
  addressIsNewMail,
  addressIsOldMail,
  deletionAskedMail,
} from './texts/account-mails.ts';
import { orderConfirmedMail, paymentFailedMail } from './texts/order-mails.ts';
import { withdrawalReceivedMail } from './texts/withdrawal-mail.ts';

export interface OwedMailTextsOptions {
  readonly store: Pick<AccountStore, 'orders' | 'withdrawals'>;
  /** What is sold, by the names that people know. */
  readonly offers: { readonly offers: readonly { readonly id: string; readonly name: string }[] };
  readonly publicUrl: () => string;
}

export class OwedMailTexts {
  readonly #options: OwedMailTextsOptions;

  constructor(options: OwedMailTextsOptions) {
    this.#options = options;
  }

  /** Null: what it was about is gone, and nothing is left to say. */
  async textOf(mail: OwedMail): Promise<MailText | null> {
    switch (mail.kind) {
      case 'order-confirmed':
      case 'payment-failed':
      case 'withdrawal-received': {
        const order = await this.#options.store.orders.findOrder(null, mail.orderId!);
        return order === null ? null : await this.#orderText(mail, order);
      }
      case 'deletion-asked': {
        const dueAt = BigInt(mail.details.dueAt!) as EpochNs;
        return deletionAskedMail({ dueAt, accountLink: this.#page('account') });
      }
      case 'account-deleted':
        return accountDeletedMail({ deletedAt: mail.createdAt });
      case 'email-changed': {
        const newEmail = mail.details.newEmail!;
        return newEmail === mail.reader ? addressIsNewMail() : addressIsOldMail({ newEmail });
      }
      case 'composed':
        return composed(mail);
      default:
        mail.kind satisfies never;
        throw new Error('this program does not know this kind of mail');
    }
  }

  async #orderText(mail: OwedMail, order: OrderRecord): Promise<MailText | null> {
    if (mail.kind === 'order-confirmed') return await this.#confirmation(order);
    if (mail.kind === 'withdrawal-received') return await this.#receipt(order);
    const paidUntil = BigInt(mail.details.paidUntil!);
    return paymentFailedMail({
      offer: this.#nameOf(order),
      failedAt: mail.createdAt,
      endsAt: (paidUntil + PAYMENT_GRACE_NS) as EpochNs,
      ordersLink: this.#page('orders'),
    });
  }

  async #confirmation(order: OrderRecord): Promise<MailText | null> {
    const { paidAt, paidUntil, amountMinor, currency } = order;
    const consent = await this.#options.store.orders.consentOf(order);
    if (paidAt === null || consent === null) return null;
    const { waiverVersion: version, text, at: acceptedAt } = consent;
    return orderConfirmedMail({
      orderId: order.id,
      offer: this.#nameOf(order),
      amountMinor,
      currency,
      taxIncluded: order.taxIncluded,
      interval: order.kind === 'subscription' ? 'month' : null,
      paidAt,
      paidUntil,
      waiver: { version, text, acceptedAt },
      ordersLink: this.#page('orders'),
    });
  }

  async #receipt(order: OrderRecord): Promise<MailText | null> {
    const withdrawal = await this.#options.store.withdrawals.withdrawalOf(order);
    if (withdrawal === null) return null;
    const { amountMinor, statement, at } = withdrawal;
    return withdrawalReceivedMail({
      orderId: order.id,
      offer: this.#nameOf(order),
      at,
      statement,
      amountMinor,
      currency: order.currency,
      taxIncluded: order.taxIncluded,
      isPart: amountMinor < order.amountMinor,
      ordersLink: this.#page('orders'),
    });
  }

  #nameOf({ offer }: OrderRecord): string {
    return this.#options.offers.offers.find(({ id }) => id === offer)?.name ?? offer;
  }

  #page(name: string): string {
    return `${this.#options.publicUrl()}/${name}`;
  }
}

function composed({ details }: OwedMail): MailText {
  const { subject = '', text = '', html = '', link } = details;
  return { subject, text, html, ...(link === undefined ? {} : { link }) };
}
