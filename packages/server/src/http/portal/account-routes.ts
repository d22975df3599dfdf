/** `GET /v1/portal/account`: the account as its owner sees it. */

import { GRANTABLE, PLANS, planAt } from '@tapeloom/core/entitlement/plan';
import type { SessionRecord } from '../../accounts/store/people-store.ts';
import { Instant } from '../contract/instant-schema.ts';
import { closedObject, Type } from '../contract/schema.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { notSignedIn } from '../server/unauthorized.ts';
import type { PortalFacts } from './portal-facts.ts';

const SessionView = closedObject({
  id: Type.String(),
  browser: Type.String({ description: 'Such as "Firefox on Linux".' }),
  createdAt: Instant('When it began'),
  lastUsedAt: Instant('When it was last used, to the minute'),
  isThis: Type.Boolean({ description: 'Whether it is the one that asks.' }),
});

const AccountView = closedObject({
  id: Type.String(),
  name: Type.String(),
  email: Type.String({ description: "The owner's e-mail address." }),
  createdAt: Instant('When it was made'),
  plan: Type.Enum(PLANS),
  grants: Type.Array(
    closedObject({
      plan: Type.Enum(GRANTABLE),
      until: Type.Union([Instant('Its end'), Type.Null()]),
    }),
  ),
  deletion: Type.Union([
    closedObject({ askedAt: Instant('When'), dueAt: Instant('When it will be done') }),
    Type.Null(),
  ]),
  sessions: Type.Array(SessionView, { description: 'The newest first.' }),
  serverTime: Instant('Now'),
});

export function accountRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/account',
    operationId: 'getAccount',
    summary: 'The account, its plan, and where its owner is signed in.',
    description: 'Browsers are named by words, never by anything secret.',
    access: 'session',
    answer: AccountView,
    handle: async ({ session, now }) => {
      const { store } = facts();
      const { accountId } = session;
      const [account, sessions, deletion] = await Promise.all([
        store.findAccount(accountId),
        store.people.sessionsOf(accountId, now),
        store.people.deletionOf(accountId),
      ]);
      if (account === null) throw notSignedIn('The account is gone.');
      return {
        id: account.id,
        name: account.name,
        email: session.email,
        createdAt: account.createdAt.toString(),
        plan: planAt(account.grants, now),
        grants: account.grants.map(({ plan, until }) => ({
          plan,
          until: until?.toString() ?? null,
        })),
        deletion:
          deletion === null
            ? null
            : { askedAt: deletion.askedAt.toString(), dueAt: deletion.dueAt.toString() },
        sessions: sessions.map((it) => viewSession(it, session.id)),
        serverTime: now.toString(),
      };
    },
  });
}

function viewSession(
  { id, browser, createdAt, lastUsedAt }: SessionRecord,
  thisId: string,
): { id: string; browser: string; createdAt: string; lastUsedAt: string; isThis: boolean } {
  return {
    id,
    browser,
    createdAt: createdAt.toString(),
    lastUsedAt: lastUsedAt.toString(),
    isThis: id === thisId,
  };
}
