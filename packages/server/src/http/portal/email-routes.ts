/**
 * Another e-mail address for an account: it changes when a link that was sent to the new one is confirmed by who is
 * signed in, and the old one hears of it before. Whether the new one owns an account shows only to who can read it.
 */

import { neighbourhood } from '../../accounts/auth/address-throttle.ts';
import { LINK_VALID_MINUTES } from '../../accounts/store/people-store.ts';
import { emailChangeNoticeMail } from '../../mail/texts/account-mails.ts';
import { emailChangeMail } from '../../mail/texts/sign-in-mails.ts';
import { closedObject, Type } from '../contract/schema.ts';
import { invalidParameters, ProblemError } from '../server/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { addressOf, EmailField, emailFaults } from './email-field.ts';
import { byLink, newLink, TokenField, tooManyLinks } from './link-token.ts';
import { accountPage, type PortalFacts } from './portal-facts.ts';

export function emailRoutes(facts: () => PortalFacts): readonly Route[] {
  return [askRoute(facts), confirmRoute(facts)];
}

function askRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/email',
    operationId: 'askToChangeEmail',
    summary: 'Sends a link to a new e-mail address of the account.',
    description: 'The address changes when the link is confirmed. The address it has now is told.',
    access: 'session',
    body: closedObject({ email: EmailField }),
    answer: closedObject({}),
    status: 202,
    faults: emailFaults,
    handle: async ({ body, session, now, address: from }) => {
      const { store, mailer, origin } = facts();
      const { accountId } = session;
      const address = addressOf(body);
      if ((await store.people.ownerByEmail(address.key))?.accountId === accountId) {
        const message = 'is the address that the account has already';
        throw invalidParameters([{ path: '/email', message }]);
      }
      const { hash, link } = newLink(origin);
      const askedFrom = neighbourhood(from);
      const wanted = { purpose: 'email-change', address, accountId, askedFrom } as const;
      const made = await store.people.addLink(now, hash, wanted);
      if ('refused' in made) throw tooManyLinks(made, now);
      const mail = emailChangeMail({ link, expiresInMinutes: LINK_VALID_MINUTES });
      mailer.send({ to: address.email, ...mail });
      const accountLink = accountPage(origin);
      const notice = emailChangeNoticeMail({ newEmail: address.email, accountLink });
      mailer.send({ to: session.email, ...notice, usefulMinutes: LINK_VALID_MINUTES });
      return {};
    },
  });
}

function confirmRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/email/confirm',
    operationId: 'confirmEmail',
    summary: 'Confirms the new e-mail address by the link that was sent to it.',
    description: 'By who is signed in to the account for which it was asked; the link is used up.',
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
        throw new ProblemError('CONFLICT', 'This e-mail address owns another account by now.');
      }
      return { email: changed.email };
    },
  });
}
