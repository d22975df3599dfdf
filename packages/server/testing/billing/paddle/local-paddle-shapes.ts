/** Paddle's objects as the API sends them, typed by the SDK: a wrong or missing field does not compile. */

import type {
  CountryCode,
  CurrencyCode,
  IAddressResponse,
  IAdjustmentResponse,
  ICustomerResponse,
  IPriceResponse,
  IProductResponse,
  ISubscriptionResponse,
  ITransactionResponse,
  TransactionOrigin,
} from '@paddle/paddle-node-sdk';

export interface Stamped {
  readonly id: string;
  /** `2026-11-16T11:30:00.000Z`. */
  readonly now: string;
}

/** The body of `POST /transactions`, as far as we use it. */
export interface TransactionWish {
  readonly items: readonly {
    readonly quantity: number;
    readonly price: {
      readonly name?: string | null;
      readonly description: string;
      readonly unit_price: { readonly amount: string; readonly currency_code: CurrencyCode };
      readonly billing_cycle?: IPriceResponse['billing_cycle'];
      readonly tax_mode?: IPriceResponse['tax_mode'];
      readonly quantity?: IPriceResponse['quantity'];
      readonly product: Pick<IProductResponse, 'name' | 'tax_category'> & {
        readonly description?: string | null;
      };
    };
  }[];
  readonly customer_id?: string | null;
  readonly address_id?: string | null;
  readonly currency_code?: CurrencyCode;
  readonly collection_mode?: ITransactionResponse['collection_mode'];
  readonly custom_data?: ITransactionResponse['custom_data'];
  readonly checkout?: { readonly url?: string | null };
}

export function customerShape({ id, now }: Stamped, email: string): ICustomerResponse {
  return {
    id,
    name: null,
    email,
    marketing_consent: false,
    status: 'active',
    custom_data: null,
    locale: 'en',
    created_at: now,
    updated_at: now,
    import_meta: null,
  };
}

export function addressShape(
  { id, now }: Stamped,
  customerId: string,
  given: { readonly country_code: CountryCode; readonly postal_code?: string | null },
): IAddressResponse {
  return {
    id,
    customer_id: customerId,
    description: null,
    first_line: null,
    second_line: null,
    city: null,
    postal_code: given.postal_code ?? null,
    region: null,
    country_code: given.country_code,
    custom_data: null,
    status: 'active',
    created_at: now,
    updated_at: now,
    import_meta: null,
  };
}

export function productShape(
  { id, now }: Stamped,
  given: TransactionWish['items'][number]['price']['product'],
): IProductResponse {
  return {
    id,
    name: given.name,
    type: 'custom',
    description: given.description ?? null,
    tax_category: given.tax_category,
    image_url: null,
    custom_data: null,
    status: 'active',
    created_at: now,
    updated_at: now,
    import_meta: null,
  };
}

export function priceShape(
  { id, now }: Stamped,
  given: TransactionWish['items'][number]['price'],
  product: IProductResponse,
): IPriceResponse {
  return {
    id,
    product_id: product.id,
    description: given.description,
    type: 'custom',
    name: given.name ?? null,
    billing_cycle: given.billing_cycle ?? null,
    trial_period: null,
    tax_mode: given.tax_mode ?? 'account_setting',
    unit_price: { ...given.unit_price },
    unit_price_overrides: [],
    quantity: given.quantity ?? { minimum: 1, maximum: 100 },
    status: 'active',
    created_at: now,
    updated_at: now,
    custom_data: null,
    import_meta: null,
    product,
  };
}

export interface TransactionParts {
  readonly origin: TransactionOrigin;
  readonly customerId: string | null;
  readonly addressId: string | null;
  readonly price: IPriceResponse;
  readonly taxPercent: number;
  readonly customData: ITransactionResponse['custom_data'];
  readonly lineItemId: string;
}

export function transactionShape(
  { id, now }: Stamped,
  parts: TransactionParts,
): ITransactionResponse {
  const { price, customerId, addressId } = parts;
  return {
    id,
    status: customerId !== null && addressId !== null ? 'ready' : 'draft',
    customer_id: customerId,
    address_id: addressId,
    business_id: null,
    custom_data: parts.customData ?? null,
    currency_code: price.unit_price.currency_code,
    origin: parts.origin,
    subscription_id: null,
    invoice_id: null,
    invoice_number: null,
    collection_mode: 'automatic',
    discount_id: null,
    billing_details: null,
    billing_period: null,
    items: [{ price_id: price.id, price, quantity: 1, proration: null }],
    details: detailsShape(parts),
    payments: [],
    checkout: { url: null },
    created_at: now,
    updated_at: now,
    billed_at: null,
    revised_at: null,
  };
}

function detailsShape({ price, taxPercent, lineItemId }: TransactionParts) {
  const amount = Number(price.unit_price.amount);
  const isInside = price.tax_mode !== 'external';
  const tax = isInside
    ? Math.round((amount * taxPercent) / (100 + taxPercent))
    : Math.round((amount * taxPercent) / 100);
  const total = isInside ? amount : amount + tax;
  const rate = String(taxPercent / 100);
  const totals = {
    subtotal: String(total - tax),
    discount: '0',
    tax: String(tax),
    total: String(total),
  };
  return {
    tax_rates_used: [{ tax_rate: rate, totals }],
    totals: {
      ...totals,
      credit: '0',
      credit_to_balance: '0',
      balance: '0',
      grand_total: String(total),
      grand_total_tax: String(tax),
      fee: null,
      earnings: null,
      currency_code: price.unit_price.currency_code,
    },
    adjusted_totals: null,
    payout_totals: null,
    adjusted_payout_totals: null,
    line_items: [
      {
        id: lineItemId,
        price_id: price.id,
        quantity: 1,
        proration: null,
        tax_rate: rate,
        unit_totals: totals,
        totals,
        product: price.product ?? null,
      },
    ],
  } satisfies ITransactionResponse['details'];
}

export function subscriptionShape(
  { id, now }: Stamped,
  transaction: ITransactionResponse,
  endsAt: string,
): ISubscriptionResponse {
  const price = transaction.items[0]!.price!;
  return {
    id,
    status: 'active',
    customer_id: transaction.customer_id!,
    address_id: transaction.address_id!,
    business_id: null,
    currency_code: transaction.currency_code,
    created_at: now,
    updated_at: now,
    started_at: now,
    first_billed_at: now,
    next_billed_at: endsAt,
    paused_at: null,
    canceled_at: null,
    discount: null,
    collection_mode: 'automatic',
    billing_details: null,
    current_billing_period: { starts_at: now, ends_at: endsAt },
    billing_cycle: price.billing_cycle!,
    scheduled_change: null,
    management_urls: {
      update_payment_method: `https://buyer-portal.paddle.com/subscriptions/${id}/update`,
      cancel: `https://buyer-portal.paddle.com/subscriptions/${id}/cancel`,
    },
    items: [
      {
        status: 'active',
        quantity: 1,
        recurring: true,
        created_at: now,
        updated_at: now,
        previously_billed_at: now,
        next_billed_at: endsAt,
        trial_dates: null,
        price,
        product: price.product!,
      },
    ],
    custom_data: transaction.custom_data ?? null,
    import_meta: null,
  };
}

export interface AdjustmentParts {
  readonly transaction: ITransactionResponse;
  readonly action: IAdjustmentResponse['action'];
  readonly status: IAdjustmentResponse['status'];
  readonly reason: string;
  readonly totalMinor: number;
}

export function adjustmentShape({ id, now }: Stamped, parts: AdjustmentParts): IAdjustmentResponse {
  const { transaction, totalMinor } = parts;
  const { grand_total: grandTotal, grand_total_tax: grandTax } = transaction.details!.totals!;
  const isAll = totalMinor === Number(grandTotal);
  const tax = Math.round((totalMinor * Number(grandTax)) / Number(grandTotal));
  const totals = {
    subtotal: String(totalMinor - tax),
    tax: String(tax),
    total: String(totalMinor),
  };
  const itemId = transaction.details!.line_items[0]!.id;
  return {
    id,
    action: parts.action,
    type: isAll ? 'full' : 'partial',
    transaction_id: transaction.id,
    subscription_id: transaction.subscription_id ?? null,
    customer_id: transaction.customer_id!,
    reason: parts.reason,
    credit_applied_to_balance: false,
    currency_code: transaction.currency_code,
    status: parts.status,
    items: [
      {
        id: itemId.replace('txnitm_', 'adjitm_'),
        item_id: itemId,
        type: isAll ? 'full' : 'partial',
        amount: String(totalMinor),
        proration: null,
        totals,
      },
    ],
    totals: {
      ...totals,
      fee: '0',
      earnings: '0',
      retained_fee: '0',
      currency_code: transaction.currency_code,
    },
    payout_totals: null,
    created_at: now,
    updated_at: now,
  };
}
