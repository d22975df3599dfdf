/**
 * Leaving: an account is deleted two weeks after its owner confirmed it by a link mailed to the account's address.
 * Until then the owner can withdraw that. A session alone deletes nothing.
 */

import { LINK_VALID_MINUTES } from '../../../accounts/people/people-store.ts';
import { deletionMail } from '../../../mail/texts/sign-in-mails.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject } from '../../contract/schema.ts';
import { ProblemError, rateLimited } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import { requirePasskey } from '../passkeys/passkey-proof.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { byLink, ownersLink, TokenField } from '../sessions/link-token.ts';

export function deletionRoutes(facts: () => PortalFacts): readonly Route[] {
  return [askRoute(facts), confirmRoute(facts), withdrawRoute(facts)];
}

function askRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/deletion',
    operationId: 'askForDeletion',
    summary: 'Requests the deletion of the account.',
    description:
      "The service sends a link to the account's e-mail address. The deletion must be confirmed there, " +
      'so that a stolen session cannot delete the account. `RATE_LIMITED` after 5 links to one address ' +
      'within an hour.',
    access: 'session',
    asksPasskey: true,
    isForSuspended: true,
    answer: closedObject({}),
    status: 202,
    handle: async (request) => {
      const { session, now, address: from } = request;
      const portal = facts();
      await requirePasskey(portal, request, 'deletion');
      const link = await ownersLink(portal, { session, now, from, purpose: 'deletion' });
      const mail = deletionMail({ link, expiresInMinutes: LINK_VALID_MINUTES });
      portal.mailer.send({ to: session.email, ...mail });
      return {};
    },
  });
}

function confirmRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/deletion/confirm',
    operationId: 'confirmDeletion',
    summary: "Confirms the deletion by the link that was sent to the account's address.",
    description:
      'You must be signed in to the account. The link is used up. A running subscription ends with its ' +
      'period at the latest: nothing more is charged. After 14 days all keys are revoked, all sessions ' +
      'end, and the e-mail address is erased. A second confirmation does not change the time. ' +
      '`RATE_LIMITED` if the deletion was requested and withdrawn 5 times within a day.',
    access: 'session',
    isForSuspended: true,
    body: closedObject({ token: TokenField }),
    answer: closedObject({ dueAt: Instant('Time of the deletion') }),
    handle: async ({ body, session, now, address }) => {
      const portal = facts();
      const call = { now, actor: { kind: 'owner' } } as const;
      const asked = await byLink(portal, { address, token: body.token }, (hash) =>
        portal.store.people.askDeletion(call, session.accountId, hash),
      );
      if ('refused' in asked) {
        const why = 'The deletion was requested and withdrawn too often within a day.';
        throw rateLimited(why, asked.until, now);
      }
      return { dueAt: asked.dueAt.toString() };
    },
  });
}

function withdrawRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/deletion',
    operationId: 'withdrawDeletion',
    summary: 'Withdraws the deletion of the account.',
    description:
      'The account stays as it is. The response is the same if no deletion was requested. A ' +
      'subscription that ends by the deletion renews only if you keep it, by `POST ' +
      '/v1/portal/orders/:id/keep`.',
    access: 'session',
    answer: closedObject({}),
    errors: [{ code: 'CONFLICT', status: 409 }],
    handle: async ({ session, now }) => {
      const { people } = facts().store;
      const { accountId } = session;
      const call = { now, actor: { kind: 'owner' } } as const;
      const isWithdrawn = await people.withdrawDeletion(call, accountId);
      if (!isWithdrawn && (await people.deletionOf(accountId)) !== null) {
        throw new ProblemError(
          'CONFLICT',
          'The account is being deleted now; this cannot be undone any more.',
        );
      }
      return {};
    },
  });
}
