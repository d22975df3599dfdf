/** Composes an owed mail from the accounts' database at the time of its delivery. */

import { PAYMENT_GRACE_NS, paymentEndsAt, willEnd } from '@tapeloom/core/entitlement/payment';
import { END_CAUSES } from '@tapeloom/core/entitlement/payment-news';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { OwedMail } from '../accounts/mails/mails-store.ts';
import type { OrderRecord } from '../accounts/orders/orders-store.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import { BUDGETS } from '../accounts/usage/usage-store.ts';
import type { MailText } from './mailer.ts';
import {
  accountDeletedMail,
  addressIsNewMail,
  addressIsOldMail,
  deletionAskedMail,
} from './texts/account-mails.ts';
import {
  type ChargedReceipt,
  orderCancelledMail,
  orderConfirmedMail,
  orderEndedMail,
  orderRenewedMail,
  paymentFailedMail,
} from './texts/order-mails.ts';
import {
  passkeyAddedMail,
  passkeyRemovedMail,
  passkeysRemovedMail,
  recoveryAskedMail,
  recoveryStoppedMail,
} from './texts/passkey-mails.ts';
import { usageMail } from './texts/usage-mail.ts';
import { withdrawalReceivedMail } from './texts/withdrawal-mail.ts';

/** Mails that state until when an order stays active. */
const IF_RUNNING: readonly OwedMail['kind'][] = [
  'order-renewed',
  'order-cancelled',
  'payment-failed',
];

/** The passkeys section of the account page. */
const PASSKEYS = 'account#passkeys';

export interface OwedMailTextsOptions {
  readonly store: Pick<AccountStore, 'orders' | 'withdrawals'>;
  /** The offers with their public names. */
  readonly offers: { readonly offers: readonly { readonly id: string; readonly name: string }[] };
  readonly publicUrl: () => string;
  /** The newest charge of an order; null: the provider failed, or lists none. */
  readonly receiptOf: (order: OrderRecord) => Promise<ChargedReceipt | null>;
}

export class OwedMailTexts {
  readonly #options: OwedMailTextsOptions;

  constructor(options: OwedMailTextsOptions) {
    this.#options = options;
  }

  /** Null: its subject is gone, and nothing is left to send. */
  async textOf(mail: OwedMail): Promise<MailText | null> {
    switch (mail.kind) {
      case 'order-confirmed':
      case 'order-renewed':
      case 'order-cancelled':
      case 'order-ended':
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
      case 'passkey-added':
      case 'passkey-removed': {
        const text = mail.kind === 'passkey-added' ? passkeyAddedMail : passkeyRemovedMail;
        const accountLink = this.#page(PASSKEYS);
        return text({ name: mail.details.name!, at: mail.createdAt, accountLink });
      }
      case 'passkeys-removed': {
        const isByOperator = mail.details.by === 'operator';
        const accountLink = this.#page(PASSKEYS);
        return passkeysRemovedMail({ at: mail.createdAt, isByOperator, accountLink });
      }
      case 'recovery-asked': {
        const dueAt = BigInt(mail.details.dueAt!) as EpochNs;
        return recoveryAskedMail({ dueAt, stopLink: this.#page(`sign-in#${mail.details.token}`) });
      }
      case 'recovery-stopped':
        return recoveryStoppedMail({ accountLink: this.#page(PASSKEYS) });
      case 'usage':
        return this.#usage(mail.details);
      case 'composed':
        return composed(mail);
      default:
        mail.kind satisfies never;
        throw new Error('this program does not know this kind of mail');
    }
  }

  async #orderText(mail: OwedMail, order: OrderRecord): Promise<MailText | null> {
    const { details, createdAt } = mail;
    const about = {
      orderId: order.id,
      offer: this.#nameOf(order),
      ordersLink: this.#page('orders'),
    };
    if (isCutShort(order) && IF_RUNNING.includes(mail.kind)) return null;
    if (mail.kind === 'order-confirmed') return await this.#confirmation(order);
    if (mail.kind === 'withdrawal-received') return await this.#receipt(order);
    if (mail.kind === 'order-renewed') return await this.#renewal(order, details.paidUntil!);
    if (mail.kind === 'order-cancelled') {
      const isKept = !willEnd(order);
      const endsAt = BigInt(details.endsAt!) as EpochNs;
      return isKept ? null : orderCancelledMail({ ...about, endsAt });
    }
    if (mail.kind === 'order-ended') {
      const cause = END_CAUSES.find((one) => one === details.cause) ?? 'over';
      const isBack = order.state === 'paid';
      return isBack ? null : orderEndedMail({ ...about, endedAt: createdAt, cause });
    }
    const grace = (BigInt(details.paidUntil!) + PAYMENT_GRACE_NS) as EpochNs;
    const endsAt = paymentEndsAt(order) ?? grace;
    return paymentFailedMail({ ...about, failedAt: createdAt, endsAt });
  }

  #usage({ budget, percent, used, limit, period, resetsAt }: OwedMail['details']): MailText {
    return usageMail({
      budget: BUDGETS.find((one) => one === budget)!,
      percent: Number(percent),
      used: Number(used),
      limit: Number(limit),
      period: period!,
      resetsAt: BigInt(resetsAt!) as EpochNs,
      usageLink: this.#page('dashboard'),
    });
  }

  async #renewal(order: OrderRecord, paidUntil: string): Promise<MailText> {
    const { id: orderId, amountMinor, currency, taxIncluded } = order;
    return orderRenewedMail({
      orderId,
      offer: this.#nameOf(order),
      ordersLink: this.#page('orders'),
      amountMinor,
      currency,
      taxIncluded,
      billTo: order.billTo,
      paidUntil: BigInt(paidUntil) as EpochNs,
      receipt: await this.#options.receiptOf(order),
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
      billTo: order.billTo,
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

/** Whether the order ended at once, which has its own mail. */
function isCutShort({ state, withdrawnAt }: OrderRecord): boolean {
  return withdrawnAt !== null || state === 'refunded' || state === 'disputed';
}

function composed({ details }: OwedMail): MailText {
  const { subject = '', text = '', html = '', link } = details;
  return { subject, text, html, ...(link === undefined ? {} : { link }) };
}
