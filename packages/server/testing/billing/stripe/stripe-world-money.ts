/** Stripe's money objects: invoices and their payments, charges, refunds, disputes, typed by the SDK. */

import Stripe from 'stripe';
import { LIVE_MODE, listObject, type Terms, taxOf, totalOf } from './stripe-world-objects.ts';

export interface InvoiceOf {
  readonly terms: Terms;
  /** Null: for a purchase. */
  readonly subscription: string | null;
  readonly price: Stripe.Price;
  readonly start: number;
  readonly end: number;
  readonly isFirst: boolean;
}

export function invoiceObject(id: string, created: number, of: InvoiceOf): Stripe.Invoice {
  const { terms, subscription, isFirst } = of;
  const total = totalOf(terms);
  const tax = taxOf(terms);
  const billingReason = isFirst ? 'subscription_create' : 'subscription_cycle';
  return {
    ...INVOICE_REST,
    id,
    object: 'invoice',
    amount_due: total,
    amount_remaining: total,
    automatic_tax: {
      disabled_reason: null,
      enabled: terms.isTaxed,
      liability: null,
      provider: terms.isTaxed ? 'stripe' : null,
      status: terms.isTaxed ? 'complete' : null,
    },
    billing_reason: subscription === null ? 'manual' : billingReason,
    created,
    currency: terms.currency,
    customer: terms.customer,
    lines: listObject([lineObject(id, of)], `/v1/invoices/${id}/lines`),
    metadata: subscription === null ? terms.metadata : {},
    parent:
      subscription === null
        ? null
        : {
            quote_details: null,
            subscription_details: { metadata: terms.metadata, subscription },
            type: 'subscription_details',
          },
    period_end: of.start,
    period_start: of.start,
    status: 'draft',
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    subtotal: terms.amount,
    subtotal_excluding_tax: terms.taxBehavior === 'inclusive' ? terms.amount - tax : terms.amount,
    total,
    total_excluding_tax: total - tax,
    total_taxes: terms.isTaxed
      ? [
          {
            amount: tax,
            tax_behavior: terms.taxBehavior,
            tax_rate_details: { tax_rate: 'txr_1' },
            taxability_reason: 'standard_rated',
            taxable_amount: total - tax,
            type: 'tax_rate_details',
          },
        ]
      : [],
  };
}

function lineObject(invoice: string, of: InvoiceOf): Stripe.InvoiceLineItem {
  const { terms, subscription, price, start, end } = of;
  return {
    id: invoice.replace('in_', 'il_'),
    object: 'line_item',
    amount: terms.amount,
    currency: terms.currency,
    description: terms.productName,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice,
    livemode: LIVE_MODE,
    metadata: terms.metadata,
    parent:
      subscription === null
        ? {
            invoice_item_details: {
              invoice_item: invoice.replace('in_', 'ii_'),
              proration: false,
              proration_details: null,
              subscription: null,
            },
            subscription_item_details: null,
            type: 'invoice_item_details',
          }
        : {
            invoice_item_details: null,
            subscription_item_details: {
              invoice_item: null,
              proration: false,
              proration_details: null,
              subscription,
              subscription_item: subscription.replace('sub_', 'si_'),
            },
            type: 'subscription_item_details',
          },
    period: { start, end },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: String(price.product) },
      type: 'price_details',
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity: 1,
    quantity_decimal: Stripe.Decimal.from(1),
    subscription,
    subtotal: terms.amount,
    taxes: [],
  };
}

/** The constant part of every invoice here. */
const INVOICE_REST = {
  account_country: 'DE',
  account_name: 'Tapeloom',
  account_tax_ids: null,
  amount_overpaid: 0,
  amount_paid: 0,
  amount_shipping: 0,
  application: null,
  attempt_count: 0,
  attempted: false,
  auto_advance: true,
  automatically_finalizes_at: null,
  collection_method: 'charge_automatically',
  custom_fields: null,
  customer_account: null,
  customer_address: null,
  customer_email: null,
  customer_name: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: 'none',
  customer_tax_ids: [],
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  due_date: null,
  effective_at: null,
  ending_balance: null,
  footer: null,
  from_invoice: null,
  hosted_invoice_url: null,
  invoice_pdf: null,
  issuer: { type: 'self' },
  last_finalization_error: null,
  latest_revision: null,
  livemode: LIVE_MODE,
  next_payment_attempt: null,
  number: null,
  on_behalf_of: null,
  payment_settings: {
    default_mandate: null,
    payment_method_options: null,
    payment_method_types: null,
  },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  starting_balance: 0,
  statement_descriptor: null,
  test_clock: null,
  total_discount_amounts: [],
  total_pretax_credit_amounts: [],
  webhooks_delivered_at: null,
} satisfies Partial<Stripe.Invoice>;

export function invoicePaymentObject(
  id: string,
  created: number,
  invoice: Stripe.Invoice,
  intent: string,
): Stripe.InvoicePayment {
  return {
    id,
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: LIVE_MODE,
    payment: { payment_intent: intent, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  };
}

export function intentObject(id: string, created: number, terms: Terms): Stripe.PaymentIntent {
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: totalOf(terms),
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: null,
    confirmation_method: 'automatic',
    created,
    currency: terms.currency,
    customer: terms.customer,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: LIVE_MODE,
    managed_payments: null,
    metadata: terms.mode === 'payment' ? terms.metadata : {},
    next_action: null,
    on_behalf_of: null,
    payment_method: 'pm_1',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'sepa_debit'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}

export function chargeObject(
  id: string,
  created: number,
  intent: Stripe.PaymentIntent,
): Stripe.Charge {
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'TAPELOOM',
    captured: true,
    created,
    currency: intent.currency,
    customer: intent.customer,
    description: null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: LIVE_MODE,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: false,
    payment_intent: intent.id,
    payment_method: 'pm_1',
    payment_method_details: { type: 'card' },
    receipt_email: null,
    receipt_number: null,
    receipt_url: `https://pay.stripe.com/receipts/${id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'pending',
    transfer_data: null,
    transfer_group: null,
  };
}

export function refundObject(
  id: string,
  created: number,
  charge: Stripe.Charge,
  of: { readonly amount: number; readonly metadata: Record<string, string> },
): Stripe.Refund {
  return {
    id,
    object: 'refund',
    amount: of.amount,
    balance_transaction: null,
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    metadata: of.metadata,
    payment_intent: charge.payment_intent,
    payment_method: null,
    reason: 'requested_by_customer',
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}

export function disputeObject(id: string, created: number, charge: Stripe.Charge): Stripe.Dispute {
  return {
    id,
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: created + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: LIVE_MODE,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  };
}

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
