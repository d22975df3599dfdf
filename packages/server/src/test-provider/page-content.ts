/** The common parts of the pages of the provider `test`: their frame, and the format of money and days. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { HOUSE_MARK } from '../pages/house-mark.ts';
import { escapeHtml, pageDocument } from '../pages/page-document.ts';
import type { PageAnswer, PageRequest } from '../pages/page-route.ts';

export interface Content {
  readonly status?: number;
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly refreshSeconds?: number;
}

export function page({ styles, theme, icon }: PageRequest, content: Content): PageAnswer {
  const { status = 200, title, body, refreshSeconds } = content;
  const html = pageDocument({
    title: `${title} · Test payments`,
    styles,
    theme,
    icon,
    body: `<main class="pay-page" id="main">
<p class="brand">${HOUSE_MARK}Test payments</p>
${body}
<p class="tiny faint">This is the built-in provider <code>test</code>. It takes no card and moves no money; it only plays what a payment provider does.</p>
</main>`,
    ...(refreshSeconds === undefined ? {} : { refreshSeconds }),
  });
  return { status, html };
}

export function over(title: string, text: string, link: string, href: string): Content {
  return {
    title,
    body: `<section class="card empty">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<a class="btn primary" href="${escapeHtml(href)}">${escapeHtml(link)}</a>
</section>`,
  };
}

/** One line of a sum; both arguments are plain text. */
export function sumRow(
  name: string,
  value: string,
  kind: '' | 'muted' | 'total' = 'muted',
): string {
  const look = kind === '' ? 'sum-row' : `sum-row ${kind}`;
  return `<div class="${look}"><span>${escapeHtml(name)}</span><span>${escapeHtml(value)}</span></div>`;
}

export function moneyText(amountMinor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 0;
  return format.format(amountMinor / 10 ** digits);
}

export function countryText(code: string): string {
  return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
}

/** `16 December 2026`, in UTC. */
export function dayText(instant: EpochNs): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return format.format(Number(instant / MS_NS_BIG));
}
