/** The part of Stripe's API that we call, over the local Stripe's objects. It rejects what Stripe would reject. */

import Stripe from 'stripe';
import {
  expand,
  type FormFields,
  fieldsOf,
  integerOf,
  neededText,
  pageOf,
  textOf,
  textsOf,
} from './stripe-wire.ts';
import { StripeRefusal, type StripeWorld } from './stripe-world.ts';
import {
  cancelSubscription,
  changeSubscription,
  refundCharge,
  voidInvoice,
} from './stripe-world-billing.ts';
import { beginCheckout, expireCheckout } from './stripe-world-checkout.ts';
import { customerObject, LIVE_MODE, type Terms } from './stripe-world-objects.ts';
import {
  accountObject,
  portalConfiguration,
  portalSession,
  taxSettings,
} from './stripe-world-settings.ts';

const MINUTE_S = 60;
const HALF_HOUR_S = 30 * MINUTE_S;
const DAY_S = 24 * 60 * MINUTE_S;
/** Search does not find younger objects. */
const SEARCH_LAG_S = MINUTE_S;
const TYPES_MAX = 20;

type Route = (world: StripeWorld, params: FormFields, id: string) => object;

const ROUTES: readonly (readonly [string, Route])[] = [
  ['GET /v1/account', () => accountObject()],
  ['GET /v1/tax/settings', () => taxSettings()],
  ['GET /v1/billing_portal/configurations', (world, params) => portals(world, params)],
  ['POST /v1/billing_portal/sessions', (world, params) => openPortal(world, params)],
  ['GET /v1/webhook_endpoints', (world, params) => page(world.endpoints, params)],
  ['GET /v1/customers/search', (world, params) => searchCustomers(world, params)],
  ['POST /v1/customers', (world, params) => createCustomer(world, params)],
  ['POST /v1/customers/:id', (world, params, id) => updateCustomer(world, params, id)],
  ['GET /v1/checkout/sessions', (world, params) => listSessions(world, params)],
  ['POST /v1/checkout/sessions', (world, params) => beginCheckout(world, termsOf(world, params))],
  ['GET /v1/checkout/sessions/:id', (world, _, id) => world.get(world.sessions, id, 'session')],
  ['POST /v1/checkout/sessions/:id/expire', (world, _, id) => expireCheckout(world, id)],
  ['GET /v1/subscriptions/:id', (world, _, id) => world.get(world.subscriptions, id)],
  ['POST /v1/subscriptions/:id', (world, params, id) => updateSubscription(world, params, id)],
  ['DELETE /v1/subscriptions/:id', (world, _, id) => cancelSubscription(world, id)],
  ['GET /v1/invoices', (world, params) => listInvoices(world, params)],
  ['GET /v1/invoices/:id', (world, _, id) => world.get(world.invoices, id, 'invoice')],
  ['POST /v1/invoices/:id/void', (world, _, id) => voidInvoice(world, id)],
  ['GET /v1/invoice_payments', (world, params) => listInvoicePayments(world, params)],
  ['GET /v1/payment_intents/:id', (world, _, id) => world.get(world.intents, id, 'intent')],
  ['GET /v1/charges', (world, params) => listCharges(world, params)],
  ['GET /v1/charges/:id', (world, _, id) => world.get(world.charges, id)],
  ['POST /v1/refunds', (world, params) => createRefund(world, params)],
  ['GET /v1/refunds/:id', (world, _, id) => world.get(world.refunds, id)],
  ['GET /v1/disputes', (world, params) => listDisputes(world, params)],
  ['GET /v1/disputes/:id', (world, _, id) => world.get(world.disputes, id)],
  ['GET /v1/events', (world, params) => listEvents(world, params)],
];

const COMPILED = ROUTES.map(([pattern, route]) => {
  const [method, path] = pattern.split(' ') as [string, string];
  return { method, path: new RegExp(`^${path.replace(':id', '([^/]+)')}$`), route };
});

/** Stripe's response; throws its rejections. */
export function answerOf(
  world: StripeWorld,
  method: string,
  path: string,
  params: FormFields,
): object {
  for (const { method: wanted, path: pattern, route } of COMPILED) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match === null) continue;
    const answer = route(world, params, decodeURIComponent(match[1] ?? ''));
    return expand(world, answer, textsOf(params.expand));
  }
  throw new StripeRefusal(404, null, `Unrecognized request URL (${method}: ${path}).`);
}

function page<Item extends { readonly id: string }>(items: readonly Item[], params: FormFields) {
  return pageOf(items, params, '/v1');
}

function metadataOf(params: FormFields): Record<string, string> {
  const fields = Object.entries(fieldsOf(params.metadata));
  return Object.fromEntries(fields.map(([key, value]) => [key, String(value)]));
}

function createCustomer(world: StripeWorld, params: FormFields): Stripe.Customer {
  const email = textOf(params.email);
  const made = customerObject(world.id('cus'), world.now, email, metadataOf(params));
  return world.add(world.customers, made);
}

function updateCustomer(world: StripeWorld, params: FormFields, id: string): Stripe.Customer {
  const customer = world.get(world.customers, id);
  const email = textOf(params.email);
  return email === null ? customer : Object.assign(customer, { email });
}

function searchCustomers(world: StripeWorld, params: FormFields) {
  const query = neededText(params.query, 'query');
  const [, field, value] = /^metadata\['(\w+)'\]:'([\w-]+)'$/.exec(query) ?? [];
  if (field === undefined) throw new StripeRefusal(400, null, `Invalid query: ${query}`, 'query');
  const data = world.customers.filter(
    ({ metadata, created }) => metadata[field] === value && created <= world.now - SEARCH_LAG_S,
  );
  return {
    object: 'search_result',
    data,
    has_more: false,
    next_page: null,
    url: '/v1/customers/search',
  } satisfies Stripe.ApiSearchResult<Stripe.Customer>;
}

function termsOf(world: StripeWorld, params: FormFields): Terms {
  const mode = neededText(params.mode, 'mode');
  if (mode !== 'payment' && mode !== 'subscription') {
    throw new StripeRefusal(400, null, `Invalid mode: ${mode}`, 'mode');
  }
  const customer = neededText(params.customer, 'customer');
  world.get(world.customers, customer, 'customer');
  const items = params.line_items;
  const [item] = Array.isArray(items) ? items : [];
  const price = fieldsOf(fieldsOf(item).price_data);
  const isMonthly = textOf(fieldsOf(price.recurring).interval) === 'month';
  if (isMonthly !== (mode === 'subscription')) {
    throw new StripeRefusal(400, null, `The price does not fit mode ${mode}`, 'line_items');
  }
  return {
    mode,
    customer,
    orderRef: textOf(params.client_reference_id),
    metadata: metadataOf(params),
    amount: integerOf(price.unit_amount, 'unit_amount') ?? 0,
    currency: neededText(price.currency, 'line_items[0][price_data][currency]'),
    taxBehavior: textOf(price.tax_behavior) === 'inclusive' ? 'inclusive' : 'exclusive',
    isTaxed: isTaxed(params),
    isTaxIdAsked: isOn(params, 'tax_id_collection'),
    productName: neededText(fieldsOf(price.product_data).name, 'product_data[name]'),
    successUrl: neededText(params.success_url, 'success_url'),
    cancelUrl: neededText(params.cancel_url, 'cancel_url'),
    expiresAt: expiryOf(world, params),
  };
}

/** Tax needs an address, and a VAT id a name, that Stripe may store. */
function isTaxed(params: FormFields): boolean {
  const update = fieldsOf(params.customer_update);
  if (isOn(params, 'automatic_tax') && textOf(update.address) !== 'auto') {
    const message =
      'Automatic tax calculation in Checkout requires a valid address on the Customer.';
    throw new StripeRefusal(400, 'customer_tax_location_invalid', message, 'automatic_tax');
  }
  if (isOn(params, 'tax_id_collection') && textOf(update.name) !== 'auto') {
    const message = 'Tax ID collection requires updating business name on the customer.';
    throw new StripeRefusal(400, null, message, 'tax_id_collection');
  }
  return isOn(params, 'automatic_tax');
}

function isOn(params: FormFields, field: string): boolean {
  return textOf(fieldsOf(params[field]).enabled) === 'true';
}

function expiryOf(world: StripeWorld, params: FormFields): number {
  const wished = integerOf(params.expires_at, 'expires_at') ?? world.now + DAY_S;
  const left = wished - world.now;
  if (left >= HALF_HOUR_S && left <= DAY_S) return wished;
  const message = 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.';
  throw new StripeRefusal(400, null, message, 'expires_at');
}

function listSessions(world: StripeWorld, params: FormFields) {
  const subscription = textOf(params.subscription);
  const intent = textOf(params.payment_intent);
  const customer = textOf(params.customer);
  if (subscription !== null) asked(world, world.subscriptions, subscription, 'subscription');
  if (intent !== null) asked(world, world.intents, intent, 'payment_intent');
  const found = world.sessions.filter(
    (one) =>
      (subscription === null || one.subscription === subscription) &&
      (intent === null || one.payment_intent === intent) &&
      (customer === null || one.customer === customer),
  );
  return page(found, params);
}

/** Listing by an unknown object is a bad request. */
function asked<Item extends Parameters<StripeWorld['get']>[0][number]>(
  world: StripeWorld,
  list: readonly Item[],
  id: string,
  param: string,
): void {
  if ((list as readonly object[]).includes(world.find(id) ?? {})) return;
  throw new StripeRefusal(400, 'resource_missing', `No such ${param}: '${id}'`, param);
}

function updateSubscription(world: StripeWorld, params: FormFields, id: string) {
  const subscription = world.get(world.subscriptions, id);
  if (subscription.status === 'canceled') {
    const message =
      'A canceled subscription can only update its cancellation_details and metadata.';
    throw new StripeRefusal(400, null, message);
  }
  const isEnding = textOf(params.cancel_at_period_end) === 'true';
  const end = subscription.items.data[0]!.current_period_end;
  changeSubscription(world, subscription, {
    cancel_at_period_end: isEnding,
    cancel_at: isEnding ? end : null,
    canceled_at: isEnding ? world.now : null,
  });
  return subscription;
}

function listInvoices(world: StripeWorld, params: FormFields) {
  const subscription = textOf(params.subscription);
  const status = textOf(params.status);
  const found = world.invoices.filter(
    (one) =>
      (status === null || one.status === status) &&
      (subscription === null || one.parent?.subscription_details?.subscription === subscription),
  );
  return page(found, params);
}

function listInvoicePayments(world: StripeWorld, params: FormFields) {
  const intent = textOf(fieldsOf(params.payment).payment_intent);
  const found = world.invoicePayments.filter(({ payment }) => payment.payment_intent === intent);
  return page(found, params);
}

function listCharges(world: StripeWorld, params: FormFields) {
  const intent = textOf(params.payment_intent);
  const customer = textOf(params.customer);
  const found = world.charges.filter(
    (one) =>
      (intent === null || one.payment_intent === intent) &&
      (customer === null || one.customer === customer),
  );
  return page(found, params);
}

function listDisputes(world: StripeWorld, params: FormFields) {
  const charge = textOf(params.charge);
  return page(
    world.disputes.filter((one) => one.charge === charge),
    params,
  );
}

function createRefund(world: StripeWorld, params: FormFields): Stripe.Refund {
  const charge = neededText(params.charge, 'charge');
  return refundCharge(world, charge, integerOf(params.amount, 'amount'), metadataOf(params));
}

function listEvents(world: StripeWorld, params: FormFields) {
  const types = textsOf(params.types);
  if (types.length > TYPES_MAX) {
    throw new StripeRefusal(400, null, `At most ${TYPES_MAX} types can be listed.`, 'types');
  }
  const created = fieldsOf(params.created);
  const from = integerOf(created.gte, 'created[gte]') ?? 0;
  const until = integerOf(created.lt, 'created[lt]') ?? Number.POSITIVE_INFINITY;
  const isMissed = textOf(params.delivery_success) === 'false';
  const found = world.events.filter(
    (event) =>
      event.created >= from &&
      event.created < until &&
      (types.length === 0 || types.includes(event.type)) &&
      (!isMissed || event.pending_webhooks > 0),
  );
  return page(found, params);
}

function portals(world: StripeWorld, params: FormFields) {
  return page([portalConfiguration(world.now)], params);
}

function openPortal(world: StripeWorld, params: FormFields) {
  const customer = neededText(params.customer, 'customer');
  world.get(world.customers, customer, 'customer');
  const back = textOf(params.return_url);
  return portalSession(world.id('bps'), world.now, customer, back);
}

export function endpointObject(id: string, url: string, events: string[]): Stripe.WebhookEndpoint {
  return {
    id,
    object: 'webhook_endpoint',
    api_version: Stripe.API_VERSION,
    application: null,
    created: 0,
    description: null,
    enabled_events: events,
    livemode: LIVE_MODE,
    metadata: {},
    status: 'enabled',
    url,
  };
}
