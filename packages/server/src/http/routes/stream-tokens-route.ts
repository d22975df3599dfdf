/** `POST /v1/stream-tokens`: a token for a browser, which opens one stream within a minute. */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf, newTokenText } from '../../accounts/auth/secret.ts';
import { TOKEN_VALID_NS } from '../../accounts/keys/keys-store.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { Instant } from '../contract/instant-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { endedKey } from '../server/problems/ended-key.ts';
import { defineRoute, type Route } from '../server/route.ts';

export function tokenEnd(now: EpochNs): EpochNs {
  return (now + TOKEN_VALID_NS) as EpochNs;
}

export function streamTokensRoute(store: () => AccountStore): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/stream-tokens',
    operationId: 'createStreamToken',
    summary: 'Creates a stream token.',
    description:
      'The token is valid for 60 seconds and for one connection, with the rights of the calling key. ' +
      'Give it only to users who are signed in with you. Needs no body.',
    access: { scope: 'stream' },
    answer: namedObject('StreamToken', {
      token: Type.String(),
      expiresAt: Instant('End of its validity'),
    }),
    status: 201,
    handle: async ({ caller, now }) => {
      const token = newTokenText(randomBytes);
      const expiresAt = tokenEnd(now);
      const { hash } = digestOf(token);
      const isIssued = await store().issueToken(now, { hash, keyId: caller.keyId, expiresAt });
      if (!isIssued) throw await endedKey(store(), caller, now);
      return { token, expiresAt: expiresAt.toString() };
    },
  });
}
