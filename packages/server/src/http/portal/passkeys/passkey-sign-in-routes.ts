/** Signing in with a passkey: no name is sent first, so the response cannot reveal whether an account has one. */

import { closedObject, Type } from '../../contract/schema.ts';
import { defineRoute, type Route, type RouteError } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { newSession } from '../sessions/new-session.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import { AssertionBody } from './passkey-bodies.ts';
import { RequestOptions, requestOptions } from './passkey-options.ts';
import { newChallenge, notThisPasskey, provedAtSignIn } from './passkey-proof.ts';

const NO_GOOD: RouteError = { code: 'UNAUTHORIZED', status: 401 };
const CONFLICT: RouteError = { code: 'CONFLICT', status: 409 };

export function passkeySignInRoutes(facts: () => PortalFacts): readonly Route[] {
  return [askRoute(facts), beginRoute(facts)];
}

function askRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/sign-in/passkey',
    operationId: 'askForPasskeySignIn',
    summary: 'Creates a challenge with which a passkey signs in.',
    description:
      'The challenge works once and within 5 minutes, alone or in addition to a sign-in link. ' +
      '`CONFLICT` if the address of the service is an IP address, for which there are no passkeys.',
    access: 'public',
    answer: RequestOptions,
    errors: [CONFLICT],
    handle: async ({ now, address }) => {
      const portal = facts();
      const challenge = await newChallenge(portal, { session: null, now, address }, 'sign-in');
      return requestOptions(portal.origin, challenge);
    },
  });
}

function beginRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/session/passkey',
    operationId: 'signInByPasskey',
    summary: 'Signs in by a passkey.',
    description: 'The response sets the cookie of a new session, which lasts 30 days.',
    access: 'public',
    body: closedObject({ passkey: AssertionBody }),
    answer: closedObject({ email: Type.String() }),
    errors: [NO_GOOD, CONFLICT],
    handle: async (request) => {
      const portal = facts();
      const { body, now, setHeader } = request;
      const { passkey, use } = await provedAtSignIn(portal, request, body.passkey);
      const { text, session } = newSession(portal.origin, request);
      const { passkeys } = portal.store;
      const signedIn = await passkeys.signInByPasskey(now, passkey.accountId, use, session);
      if ('refused' in signedIn) throw notThisPasskey();
      setHeader('set-cookie', sessionCookie(portal.origin, text));
      return { email: signedIn.session.email };
    },
  });
}
