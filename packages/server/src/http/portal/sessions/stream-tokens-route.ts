/** `POST /v1/portal/stream-tokens`: a token for the portal's charts. It only streams, and ends with the session. */

import { randomBytes } from 'node:crypto';
import { digestOf, newTokenText } from '../../../accounts/auth/secret.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { namedObject, Type } from '../../contract/schema.ts';
import { tokenEnd } from '../../routes/stream-tokens-route.ts';
import { ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';

export function portalStreamTokensRoute(store: () => AccountStore): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/stream-tokens',
    operationId: 'createPortalStreamToken',
    summary: 'Creates a stream token.',
    description:
      "The token is valid for 60 seconds and for one connection, with the rights of the account's plan. " +
      'It ends with the session. Needs no body.',
    access: 'session',
    answer: namedObject('StreamToken', {
      token: Type.String(),
      expiresAt: Instant('End of its validity'),
    }),
    status: 201,
    handle: async ({ session, now }) => {
      const token = newTokenText(randomBytes);
      const expiresAt = tokenEnd(now);
      const { hash } = digestOf(token);
      const { id: sessionId, accountId } = session;
      const isIssued = await store().issueSessionToken(now, accountId, {
        hash,
        sessionId,
        expiresAt,
      });
      if (!isIssued)
        throw new ProblemError('UNAUTHORIZED', 'The session has ended; sign in again.');
      return { token, expiresAt: expiresAt.toString() };
    },
  });
}
