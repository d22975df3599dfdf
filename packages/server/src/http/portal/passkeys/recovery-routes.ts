/**
 * Lost passkeys: a reader of the owner's mail can have them removed, 24 hours later. Meanwhile a link in the same mail
 * stops it, and every session of the owner shows it and can stop it too.
 */

import { RECOVERY_WAIT_HOURS } from '../../../accounts/people/passkeys-store.ts';
import { LINK_VALID_MINUTES } from '../../../accounts/people/people-store.ts';
import { recoveryMail } from '../../../mail/texts/sign-in-mails.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import { ProblemError, rateLimited } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route, type RouteError } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { byLink, newLink, ownersLink, TokenField } from '../sessions/link-token.ts';

const NO_GOOD: RouteError = { code: 'UNAUTHORIZED', status: 401 };
const CONFLICT: RouteError = { code: 'CONFLICT', status: 409 };
const OWNER = { kind: 'owner' } as const;
const TokenBody = closedObject({ token: TokenField });

export function recoveryRoutes(facts: () => PortalFacts): readonly Route[] {
  return [askRoute(facts), beginRoute(facts), stopRoute(facts), stopByLinkRoute(facts)];
}

function askRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/recovery/link',
    operationId: 'askForRecoveryLink',
    summary: 'Sends a link that requests the removal of lost passkeys.',
    description:
      "The link goes to the account's e-mail address, so that a stolen session cannot remove passkeys. " +
      '`RATE_LIMITED` after 5 links to one address within an hour.',
    access: 'session',
    answer: closedObject({}),
    status: 202,
    errors: [CONFLICT],
    handle: async ({ session, now, address: from }) => {
      const portal = facts();
      const list = await portal.store.passkeys.passkeysOf(session.accountId);
      if (list.length === 0) throw new ProblemError('CONFLICT', 'The account has no passkey.');
      const link = await ownersLink(portal, { session, now, from, purpose: 'recovery' });
      const mail = recoveryMail({ link, expiresInMinutes: LINK_VALID_MINUTES });
      portal.mailer.send({ to: session.email, ...mail });
      return {};
    },
  });
}

function beginRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/recovery',
    operationId: 'beginRecovery',
    summary: 'Requests the removal of lost passkeys, by a link that was mailed.',
    description:
      'The link is a recovery link, or a sign-in link of an account that has passkeys. It is used up. ' +
      `${RECOVERY_WAIT_HOURS} hours later all passkeys are removed and the second factor is switched ` +
      'off, unless the recovery is stopped. A second request does not change the time. `RATE_LIMITED` ' +
      'if the recovery was requested and stopped 5 times within a day.',
    access: 'public',
    body: TokenBody,
    answer: closedObject({ dueAt: Instant('Time at which all passkeys are removed') }),
    errors: [NO_GOOD],
    handle: async ({ body, now, address }) => {
      const portal = facts();
      const { hash: stopHash, link } = newLink(portal.origin);
      const stop = { hash: stopHash, token: link.slice(link.indexOf('#') + 1) };
      const asked = await byLink(portal, { address, token: body.token }, (hash) =>
        portal.store.passkeys.askRecovery({ now, actor: OWNER }, hash, stop),
      );
      if (!('refused' in asked)) return { dueAt: asked.dueAt.toString() };
      const why = 'The recovery was requested and stopped too often within a day.';
      throw rateLimited(why, asked.until, now);
    },
  });
}

function stopRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/recovery',
    operationId: 'stopRecovery',
    summary: 'Stops a recovery: the passkeys stay.',
    description: 'The response is the same if no recovery is in progress.',
    access: 'session',
    answer: closedObject({}),
    handle: async ({ session, now }) => {
      const { passkeys } = facts().store;
      await passkeys.stopRecovery({ now, actor: OWNER }, session.accountId);
      return {};
    },
  });
}

function stopByLinkRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/recovery/stop',
    operationId: 'stopRecoveryByLink',
    summary: 'Stops a recovery, by the link that was mailed when it was requested.',
    description: 'No sign-in is needed. The link is used up.',
    access: 'public',
    body: TokenBody,
    answer: closedObject({
      email: Type.String({ description: 'The address to which the link was sent.' }),
    }),
    errors: [NO_GOOD],
    handle: async ({ body, now, address }) => {
      const portal = facts();
      const stopped = await byLink(portal, { address, token: body.token }, (hash) =>
        portal.store.passkeys.stopRecoveryByLink({ now, actor: OWNER }, hash),
      );
      return { email: stopped.email };
    },
  });
}
