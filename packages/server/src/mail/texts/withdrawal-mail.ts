/** The receipt of a withdrawal, for the customer to keep: the declaration, its exact time, and the refund. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { shownText } from '@tapeloom/core/person/plain-text';
import type { MailText } from '../mailer.ts';
import { mailText } from './mail-text.ts';
import { exactMomentText, moneyText } from './mail-values.ts';

export interface ReceivedWithdrawal {
  readonly orderId: string;
  /** The public name: `Live`. */
  readonly offer: string;
  readonly at: EpochNs;
  /** As it was declared. */
  readonly statement: string;
  /** The refund. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly taxIncluded: boolean;
  /** Whether that is less than the price. */
  readonly isPart: boolean;
  readonly ordersLink: string;
}

export function withdrawalReceivedMail(withdrawal: ReceivedWithdrawal): MailText {
  const offer = shownText(withdrawal.offer);
  return mailText({
    subject: 'We received your withdrawal',
    heading: 'We received your withdrawal',
    lead: [
      `You withdrew from your contract for ${offer}. We received it on ${exactMomentText(withdrawal.at)}.`,
      `${offer} ended at that time, and nothing more is charged for it.`,
    ],
    facts: [
      ['Order', shownText(withdrawal.orderId)],
      ['Offer', offer],
      ['Received', exactMomentText(withdrawal.at)],
      ['You get back', moneyBack(withdrawal)],
    ],
    action: { label: 'See your orders', link: withdrawal.ordersLink },
    document: {
      title: 'What you declared',
      text: withdrawal.statement.split('\n').map(shownText).join('\n'),
    },
    closing: [
      'Keep this mail: it confirms that your withdrawal arrived, and when.',
      'You get the money back the way you paid. Your orders show when it was sent.',
    ],
  });
}

function moneyBack({ amountMinor, currency, taxIncluded, isPart }: ReceivedWithdrawal) {
  if (amountMinor === 0) return 'nothing, because you paid nothing for the time still to come';
  const tax = taxIncluded ? 'tax included' : 'and the tax on it';
  const part = isPart ? 'for the rest of the period you paid for' : '';
  return [`${moneyText(amountMinor, currency)}, ${tax}`, part].filter((it) => it !== '').join(', ');
}
