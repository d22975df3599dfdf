/**
 * Keys at the portal. The account's owner manages all of them, of either environment and with any rights, through the
 * same store as a key does, under the same limits and in the same audit log. If the account has passkeys, one of them
 * must confirm each new secret: a new key, and a rotation.
 */

import { KEYS_LISTED_MAX, VALID_KEYS_MAX } from '../../accounts/keys/keys-store.ts';
import { closedObject, namedObject, Type } from '../contract/schema.ts';
import { KeyView, viewKey } from '../routes/key-view.ts';
import { type KeysFacts, managingRoutes } from '../routes/keys-routes.ts';
import { ProblemError } from '../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { requirePasskey } from './passkeys/passkey-proof.ts';
import type { PortalFacts } from './portal-facts.ts';

export interface PortalKeysFacts extends KeysFacts {
  portal(): PortalFacts;
}

export function portalKeysRoutes(facts: PortalKeysFacts): readonly Route[] {
  const { create, rotate, revoke } = managingRoutes(facts, {
    access: 'session',
    path: '/v1/portal/keys',
    name: 'PortalKey',
    rights: 'The new key may have any rights.',
    confirm: (request) => requirePasskey(facts.portal(), request, 'key'),
    limits: '',
    managerOf: ({ session, now }) => ({
      store: facts.store(),
      accountId: session.accountId,
      actor: { kind: 'owner' },
      now,
      ended: async () => new ProblemError('FORBIDDEN', 'The account is suspended.'),
    }),
  });
  return [listRoute(facts), create, rotate, revoke];
}

function listRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/keys',
    operationId: 'listPortalKeys',
    summary: 'All keys of the account.',
    description: `As \`GET /v1/keys\`: the newest first, at most ${KEYS_LISTED_MAX}.`,
    access: 'session',
    answer: closedObject({
      keys: Type.Array(KeyView),
      limits: namedObject(
        'KeyLimits',
        { valid: Type.Integer({ minimum: 0 }), validMax: Type.Integer({ minimum: 0 }) },
        { description: 'The number of keys that are valid now, and its limit.' },
      ),
    }),
    handle: async ({ session, now }) => {
      const keys = await facts.store().listKeys(now, session.accountId);
      const views = keys.map((key) => viewKey(key, now));
      const valid = views.filter(({ state }) => state === 'active' || state === 'expiring').length;
      return { keys: views, limits: { valid, validMax: VALID_KEYS_MAX } };
    },
  });
}
