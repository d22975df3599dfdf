/** Switches the optional mails of an owner on and off. */

import { closedObject, Type } from '../../contract/schema.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';

export const MailsView = closedObject({
  usage: Type.Boolean({
    description: "Whether a mail is sent at 80% and at 100% of a month's budget.",
  }),
});

export function mailsRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/mails',
    operationId: 'chooseMails',
    summary: 'Switches mails on or off.',
    description: 'Mails about orders, payments and the account itself are always sent.',
    access: 'session',
    body: MailsView,
    answer: MailsView,
    handle: async ({ body, session }) => {
      await facts().store.people.setUsageMails(session.accountId, body.usage);
      return { usage: body.usage };
    },
  });
}
