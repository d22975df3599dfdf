/**
 * What a buyer is told by mail: once that the order is paid, with everything that was agreed to, as a durable
 * medium; and once for every renewal that failed. A mail is noted after it was handed over, so that a process that
 * dies between the two sends it twice rather than never.
 */

import { PAYMENT_GRACE_NS } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '../accounts/account-store.ts';
import type { ConsentRecord, OrderRecord } from '../accounts/orders-store.ts';
import type { Mailer, MailText } from '../mail/mailer.ts';

export interface OrderMailTexts {
  confirmed(order: OrderRecord, consent: ConsentRecord): MailText;
  /** Rights last until then, unless it is paid. */
  paymentFailed(order: OrderRecord, rightsUntil: EpochNs): MailText;
}

export interface OrderMailsOptions {
  readonly store: Pick<AccountStore, 'orders' | 'people'>;
  readonly mailer: Mailer;
  readonly texts: OrderMailTexts;
}

export class OrderMails {
  readonly #options: OrderMailsOptions;

  constructor(options: OrderMailsOptions) {
    this.#options = options;
  }

  /** Sends what there is to say of the order and was not said before. */
  async tell(order: OrderRecord, now: EpochNs): Promise<void> {
    const { store, mailer } = this.#options;
    const mails = [await this.#confirmation(order, now), this.#failure(order)];
    for (const mail of mails) {
      if (mail === null) continue;
      const owner = await store.people.ownerOf(order.accountId);
      if (owner === null) return;
      mailer.send({ to: owner.email, ...mail.text });
      await store.orders.noteTold(order, mail.told);
    }
  }

  async #confirmation(order: OrderRecord, now: EpochNs) {
    if (order.paidAt === null || order.confirmedAt !== null) return null;
    const consent = await this.#options.store.orders.consentOf(order);
    if (consent === null) return null;
    return { text: this.#options.texts.confirmed(order, consent), told: { confirmedAt: now } };
  }

  #failure(order: OrderRecord) {
    const { state, paidUntil, failureTold } = order;
    if (state !== 'past_due' || paidUntil === null || paidUntil === failureTold) return null;
    const rightsUntil = (paidUntil + PAYMENT_GRACE_NS) as EpochNs;
    const text = this.#options.texts.paymentFailed(order, rightsUntil);
    return { text, told: { failureTold: paidUntil } };
  }
}
