/** Switches the optional mails of an owner on and off. */

import { closedObject, Type } from '../../contract/schema.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';

export const MailsView = closedObject({
  usage: Type.Boolean({
    description: "Whether the service sends a mail at 80% and at 100% of a month's budget.",
  }),
});

export function mailsRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/mails',
    operationId: 'chooseMails',
    summary: 'Switches mails on or off.',
    description: 'The service always sends mails about orders, payments and the account itself.',
    access: 'session',
    body: MailsView,
    answer: MailsView,
    handle: async ({ body, session }) => {
      await facts().store.people.setUsageMails(session.accountId, body.usage);
      return { usage: body.usage };
    },
  });
}
