/** The owner's sessions, and signing out. Browsers are shown by name, never by a secret. */

import type { StoreCall } from '../../../accounts/store/store-call.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import { ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { endedSessionCookie } from './session-cookie.ts';

const Nothing = closedObject({});

export function sessionRoutes(facts: () => PortalFacts): readonly Route[] {
  return [endRoute(facts), endOthersRoute(facts), endOneRoute(facts)];
}

function ownerAt(now: StoreCall['now']): StoreCall {
  return { now, actor: { kind: 'owner' } };
}

function endRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/session',
    operationId: 'signOut',
    summary: 'Signs out in this browser.',
    description: 'The session ends at once, and its open connections end with it.',
    access: 'session',
    answer: Nothing,
    handle: async ({ session, now, setHeader }) => {
      const { store, origin } = facts();
      await store.people.endSession(ownerAt(now), session.accountId, session.id);
      setHeader('set-cookie', endedSessionCookie(origin));
      return {};
    },
  });
}

function endOthersRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/sessions',
    operationId: 'signOutElsewhere',
    summary: 'Signs out in every other browser.',
    description: 'The session of the request continues.',
    access: 'session',
    answer: closedObject({
      ended: Type.Integer({ minimum: 0, description: 'The number of sessions that were ended.' }),
    }),
    handle: async ({ session, now }) => {
      const { people } = facts().store;
      return { ended: await people.endOtherSessions(ownerAt(now), session.accountId, session.id) };
    },
  });
}

function endOneRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/sessions/:id',
    operationId: 'endSession',
    summary: 'Signs out in one browser.',
    description: 'The path has the id of a session of this account. The other sessions continue.',
    access: 'session',
    answer: Nothing,
    errors: [{ code: 'NOT_FOUND', status: 404 }],
    handle: async ({ params, session, now, setHeader }) => {
      const { store, origin } = facts();
      const id = params.id!;
      const isEnded = await store.people.endSession(ownerAt(now), session.accountId, id);
      if (!isEnded) throw new ProblemError('NOT_FOUND', 'The account has no session with this id.');
      if (id === session.id) setHeader('set-cookie', endedSessionCookie(origin));
      return {};
    },
  });
}
