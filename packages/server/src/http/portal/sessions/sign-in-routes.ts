/**
 * Signing in by a link: requested for an address, looked at, and used up by a click that posts it. Neither response nor
 * time reveals whether an address owns an account: every address gets a link, and its mail is sent after the response.
 */

import { neighbourhood } from '../../../accounts/auth/address-throttle.ts';
import {
  LINK_PURPOSES,
  LINK_VALID_MINUTES,
  type SignedIn,
} from '../../../accounts/people/people-store.ts';
import { claimMail, signInMail } from '../../../mail/texts/sign-in-mails.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import { ProblemError, rateLimited } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route, type RouteError } from '../../server/route.ts';
import { addressOf, EmailField, emailFaults, hintOfEmail } from '../account/email-field.ts';
import { AssertionBody } from '../passkeys/passkey-bodies.ts';
import { notThisPasskey, passkeyNeeded, provedAtSignIn } from '../passkeys/passkey-proof.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { byLink, newLink, TokenField, tooManyLinks } from './link-token.ts';
import { newSession } from './new-session.ts';
import { sessionCookie } from './session-cookie.ts';

const NO_GOOD: RouteError = { code: 'UNAUTHORIZED', status: 401 };
const CONFLICT: RouteError = { code: 'CONFLICT', status: 409 };
const Nothing = closedObject({});
const TokenBody = closedObject({ token: TokenField });

export function signInRoutes(facts: () => PortalFacts): readonly Route[] {
  return [askRoute(facts), lookRoute(facts), beginRoute(facts), claimRoute(facts)];
}

function askRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/sign-in',
    operationId: 'askForSignInLink',
    summary: 'Sends a sign-in link.',
    description:
      'The link goes to any address, with or without an account: the first sign-in creates one. The ' +
      'link works once and within 15 minutes. `RATE_LIMITED` after 5 links to one address within an ' +
      'hour.',
    access: 'public',
    body: closedObject({ email: EmailField }),
    answer: Nothing,
    status: 202,
    faults: emailFaults,
    handle: async ({ body, now, address: from }) => {
      const { store, mailer, origin } = facts();
      const address = addressOf(body);
      const { hash, link } = newLink(origin);
      const askedFrom = neighbourhood(from);
      const wanted = { purpose: 'sign-in', address, accountId: null, askedFrom } as const;
      const made = await store.people.addLink(now, hash, wanted);
      if ('refused' in made) throw tooManyLinks(made, now);
      const mail = signInMail({ link, expiresInMinutes: LINK_VALID_MINUTES });
      mailer.send({ to: address.email, ...mail });
      return {};
    },
  });
}

function lookRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/sign-in/look',
    operationId: 'lookAtLink',
    summary: 'Shows what a link would do, without using it up.',
    description: 'A page can show which account the link opens before the visitor signs in.',
    access: 'public',
    body: TokenBody,
    answer: closedObject({
      purpose: Type.Enum(LINK_PURPOSES),
      email: Type.Union([Type.String(), Type.Null()], {
        description: 'The address to which the link was sent, in part.',
      }),
      newEmail: Type.Union([Type.String(), Type.Null()], {
        description: 'The new address that the link approves.',
      }),
      account: Type.Union([Type.String(), Type.Null()], {
        description: 'The name of the account that the link opens; null: the link creates one.',
      }),
      needsPasskey: Type.Boolean({
        description: 'Whether the link signs in only together with a passkey.',
      }),
      expiresAt: Instant('End of its validity'),
    }),
    errors: [NO_GOOD],
    handle: async ({ body, now, address }) => {
      const portal = facts();
      const { token } = body;
      const found = await byLink(portal, { address, token }, (hash) =>
        portal.store.people.findLink(now, hash),
      );
      return {
        purpose: found.purpose,
        email: found.email === null ? null : hintOfEmail(found.email),
        newEmail: found.newEmail,
        account: found.account?.name ?? null,
        needsPasskey: found.needsPasskey,
        expiresAt: found.expiresAt.toString(),
      };
    },
  });
}

function beginRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/session',
    operationId: 'signIn',
    summary: 'Signs in by a link.',
    description:
      'The link is used up. The response sets the cookie of a new session, which lasts 30 days. If the ' +
      'account requires a passkey in addition to the link, the response without one is `FORBIDDEN`; the ' +
      'link stays valid. `RATE_LIMITED` also if 20 new accounts were created from your address within a ' +
      'day, and the last one less than ten minutes ago; the link then stays valid.',
    access: 'public',
    body: closedObject({ token: TokenField, passkey: Type.Optional(AssertionBody) }),
    answer: closedObject({
      email: Type.String(),
      isNew: Type.Boolean({ description: 'Whether this sign-in created the account.' }),
    }),
    errors: [NO_GOOD, CONFLICT],
    handle: async (request) => {
      const portal = facts();
      const { body, now, address, setHeader } = request;
      const { origin, store } = portal;
      const { text, session: wanted } = newSession(origin, request);
      const proved =
        body.passkey === undefined ? null : await provedAtSignIn(portal, request, body.passkey);
      const signedIn = await byLink(portal, { address, token: body.token }, (hash) =>
        store.people.signIn(now, hash, wanted, proved?.use ?? null),
      );
      const { session, isNew } = begun(signedIn, now);
      setHeader('set-cookie', sessionCookie(origin, text));
      return { email: session.email, isNew };
    },
  });
}

type SignIn = Awaited<ReturnType<PortalFacts['store']['people']['signIn']>>;

function begun(signIn: SignIn, now: Parameters<typeof rateLimited>[2]): SignedIn {
  if (!('refused' in signIn)) return signIn;
  switch (signIn.refused) {
    case 'too-many': {
      const why = 'Too many new accounts were created from your address within a day.';
      throw rateLimited(why, signIn.until, now);
    }
    case 'email-taken':
      throw new ProblemError('CONFLICT', 'This e-mail address already belongs to another account.');
    case 'already-owned':
      throw alreadyOwned();
    case 'needs-passkey':
      throw passkeyNeeded('This account requires a passkey in addition to the link.');
    case 'passkey':
      throw notThisPasskey();
    default:
      throw new Error(`a link that is ${signIn.refused} was taken for a good one`);
  }
}

function alreadyOwned(): ProblemError {
  return new ProblemError('CONFLICT', 'The account already has an owner.');
}

function claimRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/claim',
    operationId: 'claimAccount',
    summary: 'Claims an account without an owner, by the link from its operator.',
    description:
      'The service sends a sign-in link to the address. The person who uses it becomes the owner of the account.',
    access: 'public',
    body: closedObject({ token: TokenField, email: EmailField }),
    answer: Nothing,
    status: 202,
    errors: [NO_GOOD, CONFLICT],
    faults: emailFaults,
    handle: async ({ body, now, address: from }) => {
      const portal = facts();
      const address = addressOf(body);
      const { hash: newHash, link } = newLink(portal.origin);
      const wanted = { hash: newHash, address, askedFrom: neighbourhood(from) };
      const made = await byLink(portal, { address: from, token: body.token }, (hash) =>
        portal.store.people.useClaim(now, hash, wanted),
      );
      if ('refused' in made) {
        throw made.refused === 'too-many' ? tooManyLinks(made, now) : alreadyOwned();
      }
      const { account } = made;
      const mail = claimMail({ link, expiresInMinutes: LINK_VALID_MINUTES, account });
      portal.mailer.send({ to: address.email, ...mail });
      return {};
    },
  });
}
