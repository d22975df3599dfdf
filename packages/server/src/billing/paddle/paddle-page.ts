/**
 * Our page `/pay/paddle`, over which Paddle's checkout opens. It is the only page that allows an external service:
 * exactly Paddle's origins of the environment in use. It looks nothing up and shows nothing of an order: anyone with a
 * transaction's address may pay it, and Paddle reports the outcome.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HOUSE_MARK } from '../../pages/house-mark.ts';
import { escapeHtml, pageDocument } from '../../pages/page-document.ts';
import type { LetIn, PageAnswer, PageRequest, PageRoute } from '../../pages/page-route.ts';
import type { PaddleEnvironment } from './paddle-environment.ts';
import { TRANSACTION_ID } from './paddle-fields.ts';
import { ownPath, PADDLE_PAGE } from './paddle-page-address.ts';

const SCRIPT = readFileSync(new URL('./open-checkout.js', import.meta.url), 'utf8');
const DIGEST = createHash('sha256').update(SCRIPT).digest('base64url').slice(0, 8);
const SCRIPT_PATH = `${PADDLE_PAGE}/open-checkout-${DIGEST}.js`;
const ORDERS = '/orders';
const PLANS = '/plans';

export interface PaddlePageOptions {
  readonly clientToken: string;
  readonly environment: PaddleEnvironment;
}

/** The endpoints in Paddle.js; its tracking for Retain is left out, and is not needed to pay. */
function paddleOrigins(environment: PaddleEnvironment): LetIn {
  const of = (name: string) =>
    `https://${environment === 'sandbox' ? 'sandbox-' : ''}${name}.paddle.com`;
  return {
    sources: {
      // Both environments use the same Paddle.js.
      'script-src': ['https://cdn.paddle.com'],
      'style-src': [of('cdn')],
      'img-src': [of('cdn')],
      'connect-src': [of('api'), of('buy'), of('create-checkout'), of('checkout-service')],
      'frame-src': [of('buy'), of('cdn')],
    },
    payment: [of('buy')],
  };
}

export function paddlePages(options: PaddlePageOptions): PageRoute {
  return {
    below: `${PADDLE_PAGE}/`,
    takesForms: false,
    handle: (request) => answer(options, request),
  };
}

function answer(options: PaddlePageOptions, request: PageRequest): PageAnswer {
  if (request.path === SCRIPT_PATH) return { status: 200, script: SCRIPT };
  const transaction = request.query.get('_ptxn') ?? '';
  if (request.path !== PADDLE_PAGE || !TRANSACTION_ID.test(transaction)) return unknown(request);
  const returnTo = ownPath(request.query.get('return')) ?? ORDERS;
  const back = ownPath(request.query.get('back')) ?? ORDERS;
  const { clientToken, environment } = options;
  const settings = { transaction, token: clientToken, environment, 'return-to': returnTo };
  const body = `${sections(back, `${PADDLE_PAGE}?${request.query}`)}
<noscript><section class="card empty"><h1>Scripts are switched off</h1>
<p>The payment window is Paddle's and needs JavaScript. Nothing was charged.</p>
<a class="btn primary" href="${escapeHtml(back)}">Go back</a></section></noscript>
<script src="${SCRIPT_PATH}" defer></script>`;
  return {
    status: 200,
    html: document(request, 'Pay', body, settings),
    letIn: paddleOrigins(environment),
  };
}

/** The script shows one section at a time. */
function sections(back: string, here: string): string {
  const leave = `<a class="btn ghost" href="${escapeHtml(back)}">Go back</a>`;
  return `<section class="card empty" id="waiting" role="status" hidden>
<h1>Opening the payment window</h1>
<p>Paddle takes the payment and sends the invoice.</p>
${leave}
</section>
<section class="card empty" id="failed" role="alert" hidden>
<h1>The payment window could not be opened</h1>
<p>Nothing was charged here. Paddle's script from cdn.paddle.com could not be loaded, or Paddle does not take this payment any more. A content blocker or a company network may stand in the way; what is paid already is in your orders.</p>
<a class="btn primary" data-first href="${escapeHtml(here)}">Try again</a>
${leave}
</section>
<section class="card empty" id="closed" role="status" hidden>
<h1>You closed the payment window</h1>
<p>If you did not finish, nothing was charged.</p>
<button class="btn primary" data-first id="open" type="button">Open it again</button>
${leave}
</section>`;
}

function unknown(request: PageRequest): PageAnswer {
  const body = `<section class="card empty">
<h1>No such payment</h1>
<p>This address belongs to no payment.</p>
<a class="btn primary" href="${PLANS}">Plans</a>
</section>`;
  return { status: 404, html: document(request, 'No such payment', body, {}) };
}

function document(
  { styles, theme, icon }: PageRequest,
  title: string,
  body: string,
  settings: Readonly<Record<string, string>>,
): string {
  const data = Object.entries(settings).map(([name, it]) => ` data-${name}="${escapeHtml(it)}"`);
  return pageDocument({
    title,
    styles,
    theme,
    icon,
    body: `<main class="pay-page" id="main"${data.join('')}>
<p class="brand">${HOUSE_MARK}Payment</p>
${body}
</main>`,
  });
}
