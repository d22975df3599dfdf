/** Reports that most or all of a month's budget is used, before or when requests fail because of it. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailText } from '../mailer.ts';
import { mailText } from './mail-text.ts';
import { bytesText, countText, momentText, monthText } from './mail-values.ts';

export interface UsageMail {
  readonly budget: 'computeUnits' | 'exportBytes';
  /** 80 or 100. */
  readonly percent: number;
  readonly used: number;
  readonly limit: number;
  /** `2026-11` */
  readonly period: string;
  readonly resetsAt: EpochNs;
  readonly usageLink: string;
}

const BUDGETS = {
  computeUnits: { name: 'compute budget', amount: (it: number) => `${countText(it)} units` },
  exportBytes: { name: 'export volume', amount: bytesText },
} as const;

export function usageMail(mail: UsageMail): MailText {
  const { name, amount } = BUDGETS[mail.budget];
  const month = monthText(mail.period);
  const isAll = mail.percent === 100;
  const heading = isAll
    ? `Your ${name} of ${month} is used up`
    : `${mail.percent}% of your ${name} of ${month} is used`;
  const requests = mail.budget === 'computeUnits' ? 'History and exports' : 'Exports';
  return mailText({
    subject: heading,
    heading,
    lead: [
      isAll
        ? `${requests} that need more than the remaining budget return an error until ${momentText(mail.resetsAt)}. Streams continue.`
        : `${requests} return an error once all of it is used. The next budget begins on ${momentText(mail.resetsAt)}. Streams are not affected.`,
    ],
    facts: [
      ['Used', `${amount(mail.used)} of ${amount(mail.limit)}`],
      ['Renews', momentText(mail.resetsAt)],
    ],
    action: { label: 'See what uses it', link: mail.usageLink },
    closing: [
      "You get this mail at 80% and at 100% of a month's budget. Switch it off under Account.",
    ],
  });
}
