/**
 * `POST /v1/webhooks/:provider`: events of payment providers. An event is accepted only with the provider's signature
 * over exactly these bytes, and acknowledged once it is stored. Its effect is requested from the provider afterwards.
 */

import type { AddressThrottle } from '../../accounts/auth/address-throttle.ts';
import type { Payments } from '../../billing/payments.ts';
import { closedObject } from '../contract/schema.ts';
import { invalidParameters, ProblemError } from '../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';

/** Some providers send the whole object in an event: Stripe up to 256 KiB. */
const WEBHOOK_BYTES_MAX = 262_144;

export interface WebhookFacts {
  readonly payments: () => Payments;
  /** The limits of unsigned senders; absent: none. */
  readonly addresses: Pick<AddressThrottle, 'foundSigned'> | undefined;
}

export function webhookRoute({ payments, addresses }: WebhookFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/webhooks/:provider',
    operationId: 'receiveWebhook',
    summary: 'For payment providers: reports a change of a payment.',
    description:
      'The provider signs the request. The same event again gets the same response and has no further effect.',
    access: 'public',
    rawBody: true,
    bodyBytesMax: WEBHOOK_BYTES_MAX,
    isSigned: true,
    answer: closedObject({}),
    errors: [{ code: 'NOT_FOUND', status: 404 }],
    handle: async ({ params, headers, bytes, address, now }) => {
      const outcome = await payments().receive(params.provider!, headers, bytes);
      const isSigned = outcome === 'received' || outcome === 'known';
      addresses?.foundSigned(now, address, isSigned);
      if (outcome === 'unknown-provider') {
        throw new ProblemError('NOT_FOUND', 'There is no payment provider of this name.');
      }
      if (outcome === 'unsigned') {
        const message = 'has no valid, recent signature of the provider.';
        throw invalidParameters([{ path: '', message: `The body ${message}` }]);
      }
      return {};
    },
  });
}
