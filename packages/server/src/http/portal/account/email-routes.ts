/**
 * Changes an account's e-mail address. A session alone cannot: first a link to the present address must be used, then
 * one to the new address. If the account has passkeys, one of them must confirm it before. Both addresses are notified
 * of the change. Only a reader of the new address can learn whether it owns an account.
 */

import { neighbourhood } from '../../../accounts/auth/address-throttle.ts';
import { LINK_VALID_MINUTES } from '../../../accounts/people/people-store.ts';
import { emailApprovalMail, emailChangeMail } from '../../../mail/texts/sign-in-mails.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import { invalidParameters, ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import { requirePasskey } from '../passkeys/passkey-proof.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { byLink, newLink, ownersLink, TokenField, tooManyLinks } from '../sessions/link-token.ts';
import { addressOf, EmailField, emailFaults } from './email-field.ts';

export function emailRoutes(facts: () => PortalFacts): readonly Route[] {
  return [askRoute(facts), approveRoute(facts), confirmRoute(facts)];
}

function askRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/email',
    operationId: 'askToChangeEmail',
    summary: 'Requests another e-mail address for the account.',
    description:
      'The service sends a link to the present address of the account. The change must be approved ' +
      'there first, so that a stolen session cannot take the account over. `RATE_LIMITED` after 5 links ' +
      'to one address within an hour.',
    access: 'session',
    asksPasskey: true,
    body: closedObject({ email: EmailField }),
    answer: closedObject({}),
    status: 202,
    faults: emailFaults,
    handle: async (request) => {
      const { body, session, now, address: from } = request;
      const portal = facts();
      const newAddress = addressOf(body);
      const owner = await portal.store.people.ownerByEmail(newAddress.key);
      if (owner?.accountId === session.accountId) {
        const message = 'is already the address of the account';
        throw invalidParameters([{ path: '/email', message }]);
      }
      await requirePasskey(portal, request, 'email');
      const wanted = { session, now, from, purpose: 'email-approval', newAddress } as const;
      const link = await ownersLink(portal, wanted);
      const newEmail = newAddress.email;
      const mail = emailApprovalMail({ link, expiresInMinutes: LINK_VALID_MINUTES, newEmail });
      portal.mailer.send({ to: session.email, ...mail });
      return {};
    },
  });
}

function approveRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/email/approve',
    operationId: 'approveEmail',
    summary: 'Approves another e-mail address, by the link that was sent to the present one.',
    description:
      'You must be signed in to the account that requested it. The link is used up, and the service ' +
      'sends another one to the new address.',
    access: 'session',
    body: closedObject({ token: TokenField }),
    answer: closedObject({ email: Type.String({ description: 'The new address.' }) }),
    status: 202,
    handle: async ({ body, session, now, address }) => {
      const portal = facts();
      const { hash, link } = newLink(portal.origin);
      const made = { hash, askedFrom: neighbourhood(address) };
      const approved = await byLink(portal, { address, token: body.token }, (used) =>
        portal.store.people.approveEmail(now, session.accountId, used, made),
      );
      if ('refused' in approved) throw tooManyLinks(approved, now);
      const mail = emailChangeMail({ link, expiresInMinutes: LINK_VALID_MINUTES });
      portal.mailer.send({ to: approved.email, ...mail });
      return { email: approved.email };
    },
  });
}

function confirmRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/email/confirm',
    operationId: 'confirmEmail',
    summary: 'Confirms the new e-mail address, by the link that was sent to it.',
    description:
      'You must be signed in to the account that requested it. The link is used up. A mail informs both addresses.',
    access: 'session',
    body: closedObject({ token: TokenField }),
    answer: closedObject({ email: Type.String() }),
    errors: [{ code: 'CONFLICT', status: 409 }],
    handle: async ({ body, session, now, address }) => {
      const portal = facts();
      const call = { now, actor: { kind: 'owner' } } as const;
      const changed = await byLink(portal, { address, token: body.token }, (hash) =>
        portal.store.people.changeEmail(call, session.accountId, hash),
      );
      if ('refused' in changed) {
        throw new ProblemError('CONFLICT', 'This e-mail address now belongs to another account.');
      }
      return { email: changed.email };
    },
  });
}
