/** `GET /v1/portal/account`: the owner's view of the account; and declining the rest of an order for both offers. */

import { GRANTABLE, type Grant, PLANS, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountRecord } from '../../../accounts/keys/keys-store.ts';
import type { AccountMark, SessionRecord } from '../../../accounts/people/people-store.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';
import { otherHalf } from '../../../billing/other-half.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject, namedObject, Type } from '../../contract/schema.ts';
import { notSignedIn } from '../../server/problems/unauthorized.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import { RecoveryView, viewRecovery } from '../passkeys/passkeys-routes.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { MailsView } from './mails-route.ts';

const SessionView = namedObject('Session', {
  id: Type.String(),
  browser: Type.String({ description: 'Such as "Firefox on Linux".' }),
  createdAt: Instant('Start of the session'),
  lastUsedAt: Instant('Last use, to the minute'),
  isThis: Type.Boolean({ description: 'Whether this is the session of the request.' }),
});

const AccountView = namedObject('Account', {
  id: Type.String(),
  name: Type.String(),
  email: Type.String({ description: "The owner's e-mail address." }),
  createdAt: Instant('Creation'),
  plan: Type.Enum(PLANS, { title: 'PlanId' }),
  grants: Type.Array(
    closedObject({
      plan: Type.Enum(GRANTABLE),
      until: Type.Union([Instant('End of the grant'), Type.Null()]),
    }),
  ),
  deletion: Type.Union([
    closedObject({
      askedAt: Instant('Time of the request'),
      dueAt: Instant('Time of the deletion'),
    }),
    Type.Null(),
  ]),
  recovery: RecoveryView,
  mails: MailsView,
  sessions: Type.Array(SessionView, { description: 'The newest first.' }),
  otherHalf: Type.Union([Type.Enum(GRANTABLE), Type.Null()], {
    description:
      'The offer that is still to be bought of an order for both; null: there is none, or the owner declined it.',
  }),
  serverTime: Instant('Now'),
});

export function accountRoutes(facts: () => PortalFacts): readonly Route[] {
  return [showRoute(facts), declineRoute(facts)];
}

function showRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/account',
    operationId: 'getAccount',
    summary: 'The account, its plan, and the sessions in which its owner is signed in.',
    description: 'Sessions name their browsers in words and show no secrets.',
    access: 'session',
    answer: AccountView,
    handle: async ({ session, now }) => {
      const { store } = facts();
      const { accountId } = session;
      const [account, owner, sessions, deletion, recovery, marks] = await Promise.all([
        store.findAccount(accountId),
        store.people.ownerOf(accountId),
        store.people.sessionsOf(accountId, now),
        store.people.deletionOf(accountId),
        store.passkeys.recoveryOf(accountId),
        store.people.marksOf(accountId),
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
        recovery: viewRecovery(recovery),
        mails: { usage: owner?.usageMails ?? true },
        sessions: sessions.map((it) => viewSession(it, session.id)),
        otherHalf: await leftOf(store, account, marks, now),
        serverTime: now.toString(),
      };
    },
  });
}

async function leftOf(
  store: AccountStore,
  account: AccountRecord,
  marks: ReadonlySet<AccountMark>,
  now: EpochNs,
): Promise<Grant['plan'] | null> {
  if (!marks.has('both')) return null;
  return otherHalf(await store.orders.ordersOf(account.id), account.grants, now);
}

function declineRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/other-half',
    operationId: 'declineOtherHalf',
    summary: 'Declines the remaining offer of an order for both offers.',
    description: 'The portal does not offer it again until both offers are chosen again.',
    access: 'session',
    answer: closedObject({}),
    handle: async ({ session, now }) => {
      await facts().store.people.setMark(now, session.accountId, 'both', false);
      return {};
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
