/**
 * Pages for browsers without scripts: status, prices, the operator's texts, withdrawal and "not found". The text stands
 * in `<noscript>` inside the portal's frame (`app.html`), so a browser with scripts draws the usual page. Search
 * engines read it too, with a title of its own.
 */

import {
  INCIDENTS_MAX,
  type Incident,
  type StatusHistory,
} from '@tapeloom/core/status/status-history';
import { causeText, lengthText, uptimeText } from '@tapeloom/core/status/status-words';
import { MS_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import type { OperatorPages } from './operator-pages.ts';
import { escapeHtml } from './page-document.ts';

export interface PlainStatus {
  readonly engine: string;
  readonly instruments: readonly {
    readonly symbol: string;
    readonly alias: string | null;
    readonly state: string;
  }[];
}

export interface PlainPrice {
  readonly name: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null: it is paid once. */
  readonly interval: 'month' | null;
  readonly isTaxIncluded: boolean;
}

export interface PlainFacts {
  status(): PlainStatus;
  /** Null: it is unavailable now. */
  statusHistory(): Promise<StatusHistory | null>;
  prices(): readonly PlainPrice[];
  operatorPages(): OperatorPages;
}

export interface PlainPage {
  readonly title: string;
  /** HTML of the page's main part, its heading included. */
  readonly html: string;
}

const NAVIGATION = [
  ['/plans', 'Plans'],
  ['/docs', 'Docs'],
  ['/status', 'Status'],
] as const;
const LEGAL = [
  ['/support', 'Support'],
  ['/withdraw', 'Withdraw from a contract'],
  ['/imprint', 'Imprint'],
  ['/privacy', 'Privacy'],
  ['/terms', 'Terms'],
] as const;
const NOSCRIPT = /<noscript>[\s\S]*?<\/noscript>/;
const TITLE = /<title>[^<]*<\/title>/;

export class PlainPages {
  readonly #facts: PlainFacts;

  constructor(facts: PlainFacts) {
    this.#facts = facts;
  }

  /** Null: the page needs a script. An address without a page is "not found". */
  async at(path: string, isKnown: boolean): Promise<PlainPage | null> {
    if (!isKnown) return notFound();
    if (path === '/status') {
      return statusPage(this.#facts.status(), await this.#facts.statusHistory());
    }
    if (path === '/plans') return plansPage(this.#facts.prices());
    if (path === '/withdraw') return withdrawPage();
    const page = await this.#facts.operatorPages().page(path.slice(1));
    if (page === null) return null;
    return { title: page.title, html: `<h1>${escapeHtml(page.title)}</h1>\n${page.html}` };
  }
}

/** The frame of a page that needs no script. On a narrow screen the top has no links, so the footer has all. */
export function framed(html: string): string {
  const links = (items: readonly (readonly [href: string, name: string])[]) =>
    items.map(([href, name]) => `<a href="${href}">${name}</a>`).join('\n');
  return `<div class="public">
<header class="top"><div class="wrap"><a class="brand" href="/">Tapeloom</a>
<nav aria-label="Main">${links(NAVIGATION)}</nav></div></header>
<main class="wrap public-page" id="main"><div class="prose">
${html}
</div></main>
<footer class="foot"><div class="wrap"><nav aria-label="Footer">${links([...NAVIGATION, ...LEGAL])}</nav></div></footer>
</div>`;
}

/** The portal's frame with this page in it. */
export function withPlainPage(frame: string, { title, html }: PlainPage): string {
  const body = `<noscript>\n${framed(html)}\n</noscript>`;
  return frame
    .replace(TITLE, () => `<title>${escapeHtml(title)} · Tapeloom</title>`)
    .replace(NOSCRIPT, () => body);
}

function statusPage(
  { engine, instruments }: PlainStatus,
  history: StatusHistory | null,
): PlainPage {
  const rows = instruments.map(
    ({ symbol, alias, state }) =>
      `<tr><td>${escapeHtml(alias ?? symbol)}</td><td>${escapeHtml(symbol)}</td><td>${escapeHtml(state)}</td></tr>`,
  );
  const html = `<h1>Status</h1>
<p>Results are ${engine === 'up' ? 'being computed' : `not being computed: the engine is ${escapeHtml(engine)}`}.</p>
<table><thead><tr><th>Instrument</th><th>Contract</th><th>State</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
<h2>Last 90 days</h2>
${historyHtml(history)}
<p>Reload this page for the current state.</p>`;
  return { title: 'Status', html };
}

function historyHtml(history: StatusHistory | null): string {
  if (history === null) return '<p>The history is not available now. Try again in a minute.</p>';
  const { recordedSince, days, incidents } = history;
  const uptime = uptimeText(days);
  if (recordedSince === null || uptime === null) return '<p>Nothing was recorded yet.</p>';
  const unrecorded = days.filter(({ state }) => state === 'none').length;
  const before = unrecorded === 0 ? '' : ` There is no record before ${utcText(recordedSince)}.`;
  const summary = `<p>The service was up for ${uptime} of the recorded time.${before}</p>`;
  if (incidents.length === 0) return `${summary}\n<p>No incidents.</p>`;
  const most =
    incidents.length < INCIDENTS_MAX ? '' : `<p>These are the newest ${INCIDENTS_MAX}.</p>`;
  return `${summary}
<table><thead><tr><th>From</th><th>Until</th><th>For</th><th>What happened</th></tr></thead>
<tbody>${incidents.map(incidentRow).join('\n')}</tbody></table>${most}`;
}

function incidentRow({ cause, from, until }: Incident): string {
  const end = until === null ? 'It goes on' : utcText(until);
  const length = until === null ? '' : lengthText(Number((until - from) / SECOND_NS_BIG));
  return `<tr><td>${utcText(from)}</td><td>${end}</td><td>${length}</td><td>${causeText(cause)}</td></tr>`;
}

/** `18 Nov 2026, 12:00 UTC` */
function utcText(at: bigint): string {
  const text = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(Number(at / MS_NS_BIG));
  return `${text.replace('Sept', 'Sep')} UTC`;
}

function plansPage(prices: readonly PlainPrice[]): PlainPage {
  const rows = prices.map(
    (price) =>
      `<tr><td>${escapeHtml(price.name)}</td><td>${escapeHtml(priceText(price))}</td></tr>`,
  );
  const html = `<h1>Plans</h1>
<p>Every account begins with the sandbox, which costs nothing. Two offers add to it.</p>
<table><thead><tr><th>Offer</th><th>Price</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>
<p><a href="/docs/limits">The limits of each plan</a> · <a href="/docs/billing">Renewal, cancelling and receipts</a></p>
<p>Signing in and ordering need JavaScript.</p>`;
  return { title: 'Plans', html };
}

function priceText({ amountMinor, currency, interval, isTaxIncluded }: PlainPrice): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const amount = format.format(amountMinor / 10 ** digits);
  return `${amount} ${interval === 'month' ? 'a month' : 'once'}, ${isTaxIncluded ? 'tax included' : 'plus tax'}`;
}

function withdrawPage(): PlainPage {
  const html = `<h1>Withdraw from a contract</h1>
<p>Enter the order and the e-mail address of your account. You need no reason. The order number is in the confirmation that you received by e-mail.</p>
<form method="post" action="/withdrawal">
<p><label>E-mail address<br><input class="input" type="email" name="email" required maxlength="254" autocomplete="email"></label></p>
<p><label>Order number<br><input class="input" type="text" name="order" required maxlength="64" placeholder="ord_…" autocomplete="off"></label></p>
<p><label>Your name, if you like<br><input class="input" type="text" name="name" maxlength="100" autocomplete="name"></label></p>
<p><button type="submit" class="btn primary">Confirm withdrawal</button></p>
</form>
<p>The receipt, with the time of your withdrawal, goes to the account's e-mail address. You can also write to the seller named in the <a href="/imprint">imprint</a>.</p>`;
  return { title: 'Withdraw from a contract', html };
}

function notFound(): PlainPage {
  const html = `<h1>Page not found</h1>
<p>There is no page at this address. Try the <a href="/">first page</a>, the <a href="/docs">documentation</a> or <a href="/support">support</a>.</p>`;
  return { title: 'Page not found', html };
}
