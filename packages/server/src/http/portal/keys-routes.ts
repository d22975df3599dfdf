/**
 * Keys at the portal: the account's owner manages all of them, of either environment and with any rights, through
 * the same store as a key does, under the same limits and in the same audit log.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { KEYS_LISTED_MAX, VALID_KEYS_MAX } from '../../accounts/store/account-store.ts';
import { closedObject, Type } from '../contract/schema.ts';
import { CreatedKeyView, KeyView, RotatedKeyView, viewKey } from '../routes/key-view.ts';
import { KEY_ERRORS, type KeysFacts, RotationBody } from '../routes/keys-routes.ts';
import { type KeyManager, makeKey, revokeKey, rotateKey } from '../routes/managed-keys.ts';
import { NewKeyBody, newKeyFaults } from '../routes/new-key-body.ts';
import { ProblemError } from '../server/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';

const access = 'session';

export function portalKeysRoutes(facts: KeysFacts): readonly Route[] {
  return [listRoute(facts), createRoute(facts), rotateRoute(facts), revokeRoute(facts)];
}

function listRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/keys',
    operationId: 'listPortalKeys',
    summary: 'All keys of the account.',
    description: `As \`GET /v1/keys\`: the newest first, never more than ${KEYS_LISTED_MAX}.`,
    access,
    answer: closedObject({
      keys: Type.Array(KeyView),
      limits: closedObject(
        { valid: Type.Integer({ minimum: 0 }), validMax: Type.Integer({ minimum: 0 }) },
        { description: 'Keys that are valid now, and how many may be.' },
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

function createRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/keys',
    operationId: 'createPortalKey',
    summary: 'Creates a key.',
    description: 'With any rights. The answer shows the secret once.',
    access,
    body: NewKeyBody,
    answer: CreatedKeyView,
    status: 201,
    errors: KEY_ERRORS.create,
    faults: (body, now) => newKeyFaults(body, now, (name) => facts.instrumentFault(name)),
    handle: async ({ body, session, now }) =>
      (await makeKey(ownerOf(facts, session, now), body)).view,
  });
}

function rotateRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/keys/:id/rotate',
    operationId: 'rotatePortalKey',
    summary: 'Replaces a key by a new one with the same rights.',
    description: 'The old key works until the grace period ends, or until its own earlier expiry.',
    access,
    body: RotationBody,
    answer: RotatedKeyView,
    status: 201,
    errors: KEY_ERRORS.rotate,
    handle: async ({ params, body, session, now }) => {
      const owner = ownerOf(facts, session, now);
      return (await rotateKey(owner, params.id!, body.gracePeriodSeconds)).view;
    },
  });
}

function revokeRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/keys/:id',
    operationId: 'revokePortalKey',
    summary: 'Revokes a key at once.',
    description: 'A key that has ended already is answered as it is.',
    access,
    answer: KeyView,
    errors: KEY_ERRORS.revoke,
    handle: ({ params, session, now }) => revokeKey(ownerOf(facts, session, now), params.id!),
  });
}

function ownerOf(
  facts: KeysFacts,
  { accountId }: { readonly accountId: string },
  now: EpochNs,
): KeyManager {
  return {
    store: facts.store(),
    accountId,
    actor: { kind: 'owner' },
    now,
    ended: async () => new ProblemError('FORBIDDEN', 'The account is suspended.'),
  };
}
