/**
 * `POST /v1/webhooks/:provider`: what payment providers tell by themselves. It is taken only with the provider's
 * signature over exactly these bytes, and it is answered when it is kept: what comes of it is asked of the
 * provider afterwards.
 */

import type { Payments } from '../billing/payments.ts';
import { invalidParameters, ProblemError } from './problem-error.ts';
import { defineRoute, type Route } from './route.ts';
import { Type } from './schema.ts';

export function webhookRoute(payments: () => Payments): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/webhooks/:provider',
    operationId: 'receiveWebhook',
    summary: 'For payment providers: tells that something about a payment changed.',
    description:
      'Signed by the provider. The same event again is answered the same, and done once.',
    access: 'public',
    rawBody: true,
    answer: Type.Object({}, { additionalProperties: false }),
    errors: [{ code: 'NOT_FOUND', status: 404 }],
    handle: async ({ params, headers, bytes }) => {
      const outcome = await payments().receive(params.provider!, headers, bytes);
      if (outcome === 'unknown-provider') {
        throw new ProblemError('NOT_FOUND', 'There is no payment provider of this name.');
      }
      if (outcome === 'unsigned') {
        const message = "does not carry the provider's signature of just now.";
        throw invalidParameters([{ path: '', message: `The body ${message}` }]);
      }
      return {};
    },
  });
}
