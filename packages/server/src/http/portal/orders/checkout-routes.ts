/**
 * `POST /v1/portal/checkout`: orders an offer and responds with the provider's page. The waiver is checked before the
 * provider is called. A checkout that is rejected, or that the provider fails, leaves nothing behind.
 */

import { paymentStateAt, willEnd } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Static } from 'typebox';
import type { OrderRecord } from '../../../accounts/orders/orders-store.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';
import type { Billing, Refusal } from '../../../billing/billing.ts';
import { otherHalf } from '../../../billing/other-half.ts';
import { didYouMean } from '../../../config/nearest-name.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import {
  invalidParameters,
  ProblemError,
  rateLimited,
} from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { BillToBody, billToOf } from './bill-to-body.ts';
import { CONFLICT, UPSTREAM, upstream } from './order-problems.ts';
import { OrderView, viewOrder } from './order-view.ts';

const CheckoutBody = closedObject({
  offer: Type.String({ maxLength: 64, description: 'The id of the offer in `GET /v1/offers`.' }),
  country: Type.String({
    pattern: '^[A-Z]{2}$',
    description:
      'The country of the buyer: two capital letters, one of `countries` in `GET /v1/pricing`.',
  }),
  billTo: Type.Optional(BillToBody),
  both: Type.Optional(
    Type.Boolean({
      description:
        'The buyer wants both offers and orders one after the other; this order is one of them.',
    }),
  ),
  // An incomplete waiver is not a fault of the body, but a waiver that was not given.
  waiver: Type.Optional(
    closedObject({
      accepted: Type.Optional(Type.Boolean()),
      version: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The version of the waiver that the buyer read.',
        }),
      ),
    }),
  ),
});

export function checkoutRoute(
  billing: () => Billing,
  facts: () => Pick<PortalFacts, 'store'>,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/checkout',
    operationId: 'startCheckout',
    summary: 'Orders an offer. The buyer pays at the address in the response.',
    description:
      'The buyer must accept the waiver of the right of withdrawal in its current version; the service ' +
      'records this with the order. The rights begin with the payment. A second request within a minute ' +
      'gets the same checkout.',
    access: 'session',
    body: CheckoutBody,
    answer: closedObject({
      url: Type.String({ description: "The address of the payment provider's page." }),
      order: OrderView,
    }),
    status: 201,
    errors: [{ code: 'WITHDRAWAL_WAIVER_REQUIRED', status: 400 }, CONFLICT, UPSTREAM],
    handle: async ({ body, session, address, now }) => {
      const { accountId, id: sessionId } = session;
      if ((await facts().store.people.deletionOf(accountId)) !== null) throw leaving();
      const { offer, country, waiver, both: isOfBoth = false } = body;
      const billTo = billToOf(body.billTo);
      const wish = { accountId, sessionId, offer, country, waiver, address, isOfBoth, billTo };
      const order = await upstream(billing().checkout(wish), 'Nothing was ordered.');
      if ('refused' in order) throw refusal(order, body, billing(), now);
      await markBoth(facts().store, order, isOfBoth, now);
      return { url: order.url, order: viewOrder(order, now, null) };
    },
  });
}

/** A buyer who orders the other half by itself has not declined both: that order may stay unpaid. */
async function markBoth(
  store: AccountStore,
  { accountId, grants }: OrderRecord,
  isOfBoth: boolean,
  now: EpochNs,
): Promise<void> {
  if (!isOfBoth) {
    const account = await store.findAccount(accountId);
    const left = otherHalf(await store.orders.ordersOf(accountId), account?.grants ?? [], now);
    if (left !== null && grants.includes(left)) return;
  }
  await store.people.setMark(now, accountId, 'both', isOfBoth);
}

/** An order after a deletion has begun could never be paid. */
function leaving(): ProblemError {
  return new ProblemError(
    'CONFLICT',
    'The account is scheduled for deletion, so nothing can be ordered. Withdraw the deletion first.',
  );
}

function refusal(
  refused: Refusal,
  { offer, country, waiver }: Static<typeof CheckoutBody>,
  { offers }: Billing,
  now: EpochNs,
): ProblemError {
  switch (refused.refused) {
    case 'unknown-offer': {
      const ids = offers.offers.map(({ id }) => id);
      const message = `is not an offer: use one of ${ids.join(', ')}.${didYouMean(offer, ids)}`;
      return invalidParameters([{ path: '/offer', message }]);
    }
    case 'unknown-country': {
      const message = `is ${country}, where payments are not available. GET /v1/pricing lists the countries.`;
      return invalidParameters([{ path: '/country', message }]);
    }
    case 'waiver':
      return waiverRequired(waiver, refused.version);
    case 'held':
      return new ProblemError('CONFLICT', heldText(refused, offer, now));
    case 'other-provider':
      return new ProblemError(
        'CONFLICT',
        `Payments from ${country} use a different provider than this account's, which is ` +
          `${refused.provider}. An account stays with its first provider.`,
      );
    case 'confirming':
      return new ProblemError(
        'CONFLICT',
        `A payment for ${offer} is waiting for its confirmation. See your orders.`,
      );
    case 'too-many':
      return rateLimited('The account has placed too many orders today.', refused.until, now);
    case 'no-account':
      return new ProblemError('UNAUTHORIZED', 'The account is gone.');
    default:
      return refused satisfies never;
  }
}

function waiverRequired(
  waiver: Static<typeof CheckoutBody>['waiver'],
  version: string,
): ProblemError {
  const why =
    waiver?.accepted === true && waiver.version !== undefined
      ? `The text of the waiver has changed: read and accept version ${version}.`
      : `Accept the waiver of the right of withdrawal, version ${version}: ` +
        '{ "accepted": true, "version": … }. GET /v1/pricing has its text, with the price or for all.';
  return new ProblemError('WITHDRAWAL_WAIVER_REQUIRED', why);
}

function heldText(
  { order }: Extract<Refusal, { readonly refused: 'held' }>,
  offer: string,
  now: EpochNs,
): string {
  if (order === null) return `The account already has ${offer}.`;
  if (paymentStateAt(order, now) === 'past_due') {
    return `The account already has ${offer} with order ${order.id}, whose renewal failed. Cancel that order, then buy again.`;
  }
  return willEnd(order)
    ? `The account already has ${offer} with order ${order.id}, which is cancelled but still active. Keep that order instead.`
    : `The account already has ${offer} with order ${order.id}.`;
}
