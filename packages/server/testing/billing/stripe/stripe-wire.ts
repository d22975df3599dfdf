/** Stripe's wire format: bracketed forms in, JSON out, expanded objects, paged lists, and error envelopes. */

import type Stripe from 'stripe';
import { StripeRefusal, type StripeWorld } from './stripe-world.ts';
import { listObject } from './stripe-world-objects.ts';

const DEPTH_MAX = 4;
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;

export type Form = string | readonly Form[] | FormFields;
export interface FormFields {
  readonly [field: string]: Form | undefined;
}

/** `a[b][0]=c` as `{ a: { b: ['c'] } }`. */
export function parseForm(text: string): FormFields {
  const root: Record<string, unknown> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.replaceAll(']', '').split('[');
    let at = root;
    for (const field of path.slice(0, -1)) {
      at[field] ??= {};
      at = at[field] as Record<string, unknown>;
    }
    const last = path.at(-1)!;
    at[last === '' ? String(Object.keys(at).length) : last] = value;
  }
  return withArrays(root) as FormFields;
}

function withArrays(value: unknown): Form {
  if (typeof value === 'string') return value;
  const fields = Object.entries(value as Record<string, unknown>);
  if (fields.length > 0 && fields.every(([key]) => /^\d+$/.test(key))) {
    return fields.map(([, item]) => withArrays(item));
  }
  return Object.fromEntries(fields.map(([key, item]) => [key, withArrays(item)]));
}

/** Missing fields are `{}`. */
export function fieldsOf(form: Form | undefined): FormFields {
  return form === undefined || typeof form === 'string' || Array.isArray(form)
    ? {}
    : (form as FormFields);
}

export function textOf(form: Form | undefined): string | null {
  return typeof form === 'string' && form !== '' ? form : null;
}

export function textsOf(form: Form | undefined): readonly string[] {
  return Array.isArray(form) ? form.filter((item) => typeof item === 'string') : [];
}

export function integerOf(form: Form | undefined, param: string): number | null {
  const text = textOf(form);
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  throw new StripeRefusal(400, 'parameter_invalid_integer', `Invalid integer: ${text}`, param);
}

export function neededText(form: Form | undefined, param: string): string {
  const text = textOf(form);
  if (text !== null) return text;
  throw new StripeRefusal(400, 'parameter_missing', `Missing required param: ${param}.`, param);
}

/** Newest first, with the requested limit and start. */
export function pageOf<Item extends { readonly id: string }>(
  oldestFirst: readonly Item[],
  params: FormFields,
  url: string,
): Stripe.ApiList<Item> {
  const limit = integerOf(params.limit, 'limit') ?? LIMIT_DEFAULT;
  if (limit < 1 || limit > LIMIT_MAX) {
    throw new StripeRefusal(400, null, `Limit must be between 1 and ${LIMIT_MAX}.`, 'limit');
  }
  const all = oldestFirst.toReversed();
  const after = textOf(params.starting_after);
  const place = after === null ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== null && place === -1) {
    throw new StripeRefusal(400, 'resource_missing', `No such object: ${after}`, 'starting_after');
  }
  const rest = all.slice(place + 1);
  return listObject(rest.slice(0, limit), url, rest.length > limit);
}

/** Replaces the ids in these fields by their objects. */
export function expand(world: StripeWorld, answer: object, paths: readonly string[]): object {
  return paths.reduce((before, path) => {
    const fields = path.split('.');
    if (fields.length > DEPTH_MAX) {
      const message = `You cannot expand more than ${DEPTH_MAX} levels of a property`;
      throw new StripeRefusal(400, null, message, 'expand');
    }
    return expandField(world, before, fields) as object;
  }, answer);
}

function expandField(world: StripeWorld, value: unknown, path: readonly string[]): unknown {
  const [field, ...rest] = path;
  if (field === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => expandField(world, item, path));
  const object = value as Readonly<Record<string, unknown>>;
  const found = object[field] === undefined ? included(world, object, field) : object[field];
  const whole = typeof found === 'string' ? world.find(found) : found;
  const isThere = whole !== undefined && (whole !== null || found === null);
  if (!isThere || typeof whole !== 'object') {
    throw new StripeRefusal(400, null, `This property cannot be expanded (${field}).`, 'expand');
  }
  return { ...object, [field]: expandField(world, whole, rest) };
}

/** Fields that are only included on request. */
function included(
  world: StripeWorld,
  { object, id }: Readonly<Record<string, unknown>>,
  field: string,
): object | undefined {
  switch (`${object}.${field}`) {
    case 'checkout.session.line_items': {
      const item = world.lineItems.get(String(id));
      const url = `/v1/checkout/sessions/${id}/line_items`;
      return listObject(item === undefined ? [] : [item], url);
    }
    case 'invoice.payments': {
      const payments = world.invoicePayments.filter(({ invoice }) => invoice === id);
      return listObject(payments, '/v1/invoice_payments');
    }
    case 'charge.refunds': {
      const refunds = world.refunds.filter(({ charge }) => charge === id);
      return listObject(refunds.toReversed(), `/v1/charges/${id}/refunds`);
    }
    default:
      return undefined;
  }
}

export function errorBody({ status, code, param, message }: StripeRefusal, type?: string): string {
  const kind = type ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const error = {
    ...(code === null ? {} : { code, doc_url: `https://stripe.com/docs/error-codes/${code}` }),
    ...(param === null ? {} : { param }),
    message,
    type: kind,
  };
  return JSON.stringify({ error });
}
