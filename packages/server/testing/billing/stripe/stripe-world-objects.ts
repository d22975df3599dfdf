/** Stripe's objects for the local server, typed by the SDK: an unknown or different field does not compile. */

import Stripe from 'stripe';

export const LIVE_MODE = false;

/** The parts of a checkout's request that matter here. */
export interface Terms {
  readonly mode: 'payment' | 'subscription';
  readonly customer: string;
  readonly orderRef: string | null;
  readonly metadata: Record<string, string>;
  readonly amount: number;
  readonly currency: string;
  readonly taxBehavior: 'inclusive' | 'exclusive';
  readonly isTaxed: boolean;
  readonly isTaxIdAsked: boolean;
  readonly productName: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly expiresAt: number;
}

/** If tax is on, a fifth of every amount. */
export function taxOf({ amount, taxBehavior, isTaxed }: Terms): number {
  if (!isTaxed) return 0;
  return Math.round(taxBehavior === 'inclusive' ? amount / 6 : amount / 5);
}

export function totalOf(terms: Terms): number {
  return terms.taxBehavior === 'inclusive' ? terms.amount : terms.amount + taxOf(terms);
}

export function customerObject(
  id: string,
  created: number,
  email: string | null,
  metadata: Record<string, string>,
): Stripe.Customer {
  return {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created,
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    email,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: LIVE_MODE,
    metadata,
    name: null,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

export function priceObject(id: string, created: number, terms: Terms): Stripe.Price {
  const isMonthly = terms.mode === 'subscription';
  return {
    id,
    object: 'price',
    active: false,
    billing_scheme: 'per_unit',
    created,
    currency: terms.currency,
    custom_unit_amount: null,
    livemode: LIVE_MODE,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: id.replace('price_', 'prod_'),
    recurring: isMonthly
      ? {
          interval: 'month',
          interval_count: 1,
          meter: null,
          trial_period_days: null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: terms.taxBehavior,
    tiers_mode: null,
    transform_quantity: null,
    type: isMonthly ? 'recurring' : 'one_time',
    unit_amount: terms.amount,
    unit_amount_decimal: Stripe.Decimal.from(terms.amount),
  };
}

export function lineItemObject(id: string, price: Stripe.Price, terms: Terms): Stripe.LineItem {
  return {
    id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: terms.amount,
    amount_tax: taxOf(terms),
    amount_total: totalOf(terms),
    currency: terms.currency,
    description: terms.productName,
    metadata: {},
    price,
    quantity: 1,
  };
}

export function sessionObject(id: string, created: number, terms: Terms): Stripe.Checkout.Session {
  const isPurchase = terms.mode === 'payment';
  const invoiceData = {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: null,
    metadata: terms.metadata,
    rendering_options: null,
  };
  return {
    ...SESSION_REST,
    id,
    object: 'checkout.session',
    amount_subtotal: terms.amount,
    amount_total: totalOf(terms),
    automatic_tax: {
      enabled: terms.isTaxed,
      liability: null,
      provider: terms.isTaxed ? 'stripe' : null,
      status: terms.isTaxed ? 'requires_location_inputs' : null,
    },
    billing_address_collection: terms.isTaxed ? 'required' : 'auto',
    cancel_url: terms.cancelUrl,
    client_reference_id: terms.orderRef,
    created,
    currency: terms.currency,
    customer: terms.customer,
    expires_at: terms.expiresAt,
    invoice_creation: isPurchase ? { enabled: true, invoice_data: invoiceData } : null,
    livemode: LIVE_MODE,
    metadata: terms.metadata,
    mode: terms.mode,
    payment_method_collection: isPurchase ? 'if_required' : 'always',
    payment_status: 'unpaid',
    status: 'open',
    success_url: terms.successUrl,
    tax_id_collection: { enabled: terms.isTaxIdAsked, required: 'never' },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: taxOf(terms) },
    url: `https://checkout.stripe.com/c/pay/${id}`,
  };
}

type SessionRest = Omit<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'amount_subtotal'
  | 'amount_total'
  | 'automatic_tax'
  | 'billing_address_collection'
  | 'cancel_url'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'customer'
  | 'expires_at'
  | 'invoice_creation'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_method_collection'
  | 'payment_status'
  | 'status'
  | 'success_url'
  | 'tax_id_collection'
  | 'total_details'
  | 'url'
>;

/** The constant part of every checkout here. */
const SESSION_REST: SessionRest = {
  adaptive_pricing: { enabled: false },
  after_expiration: null,
  allow_promotion_codes: false,
  allowed_payment_method_types: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer_account: null,
  customer_creation: null,
  customer_details: null,
  customer_email: null,
  discounts: [],
  integration_identifier: null,
  invoice: null,
  locale: null,
  managed_payments: { enabled: false },
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card', 'sepa_debit'],
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  submit_type: 'pay',
  subscription: null,
  ui_mode: 'hosted_page',
  wallet_options: null,
};

export function subscriptionObject(
  id: string,
  start: number,
  end: number,
  of: { readonly terms: Terms; readonly price: Stripe.Price },
): Stripe.Subscription {
  const { terms, price } = of;
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: terms.isTaxed, liability: null },
    billing_cycle_anchor: start,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: start,
    currency: terms.currency,
    customer: terms.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: 'pm_1',
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: listObject([itemObject(id, start, end, price)], '/v1/subscription_items'),
    latest_invoice: null,
    livemode: LIVE_MODE,
    managed_payments: null,
    metadata: terms.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: null,
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: start,
    status: 'active',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  };
}

function itemObject(
  subscription: string,
  start: number,
  end: number,
  price: Stripe.Price,
): Stripe.SubscriptionItem {
  return {
    id: subscription.replace('sub_', 'si_'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: start,
    current_period_end: end,
    current_period_start: start,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planObject(price),
    price,
    quantity: 1,
    subscription,
    tax_rates: [],
  };
}

/** The legacy form of a price, which Stripe still sends beside it. */
function planObject(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: 'month',
    interval_count: 1,
    livemode: LIVE_MODE,
    metadata: {},
    meter: null,
    nickname: null,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

export function listObject<Item>(data: Item[], url: string, hasMore = false): Stripe.ApiList<Item> {
  return { object: 'list', data, has_more: hasMore, url };
}
