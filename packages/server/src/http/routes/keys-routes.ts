/** The routes that manage keys with a key. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Caller } from '../../accounts/auth/caller.ts';
import {
  type AccountStore,
  KEYS_LISTED_MAX,
  KEYS_MADE_MAX,
} from '../../accounts/store/account-store.ts';
import type { OnceRequest } from '../../accounts/store/once.ts';
import { closedObject, Type } from '../contract/schema.ts';
import { endedKey } from '../server/ended-key.ts';
import { defineRoute, type Route, type RouteError } from '../server/route.ts';
import { CreatedKeyView, KeyView, RotatedKeyView, viewKey } from './key-view.ts';
import { type KeyManager, makeKey, revokeKey, rotateKey } from './managed-keys.ts';
import { NewKeyBody, newKeyFaults } from './new-key-body.ts';

export const GRACE_SECONDS_MAX = 604_800;

const access = { scope: 'keys' } as const;
const UNKNOWN_KEY: RouteError = { code: 'NOT_FOUND', status: 404 };
const TOO_MANY_KEYS: RouteError = { code: 'QUOTA_EXCEEDED', status: 409 };
const CANNOT_ROTATE: RouteError = { code: 'CONFLICT', status: 409 };

/** What creating, rotating and revoking may refuse with, whoever does it. */
export const KEY_ERRORS = {
  create: [TOO_MANY_KEYS],
  rotate: [UNKNOWN_KEY, TOO_MANY_KEYS, CANNOT_ROTATE],
  revoke: [UNKNOWN_KEY],
} as const;

export const RotationBody = closedObject({
  gracePeriodSeconds: Type.Integer({ minimum: 0, maximum: GRACE_SECONDS_MAX }),
});

const LIMITS =
  `\`RATE_LIMITED\` also when the account has created and rotated ${KEYS_MADE_MAX} keys in 24 hours, or has ` +
  `${KEYS_LISTED_MAX} in its list.`;

export interface KeysFacts {
  store(): AccountStore;
  /** What is wrong with a name that no dataset lists as symbol or alias; null where one does. */
  instrumentFault(name: string): string | null;
}

export function keysRoutes(facts: KeysFacts): readonly Route[] {
  return [createRoute(facts), listRoute(facts), rotateRoute(facts), revokeRoute(facts)];
}

function createRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/keys',
    operationId: 'createKey',
    summary: 'Creates a key.',
    description: `With no more rights than the calling key has. The answer shows the secret once. ${LIMITS}`,
    access,
    isIdempotent: true,
    body: NewKeyBody,
    answer: CreatedKeyView,
    status: 201,
    errors: KEY_ERRORS.create,
    faults: (body, now) => newKeyFaults(body, now, (name) => facts.instrumentFault(name)),
    handle: async ({ body, caller, now, once, markReplayed }) => {
      const manager = managerOf(facts, caller, now, once);
      const { view, isReplayed } = await makeKey(manager, body);
      if (isReplayed) markReplayed();
      return view;
    },
  });
}

function listRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/keys',
    operationId: 'listKeys',
    summary: 'All keys of the account.',
    description:
      'The newest first: valid keys, and those that ended in the last 30 days. There are never more ' +
      `than ${KEYS_LISTED_MAX}.`,
    access,
    answer: closedObject({ keys: Type.Array(KeyView) }),
    handle: async ({ caller, now }) => {
      const keys = await facts.store().listKeys(now, caller.accountId);
      return { keys: keys.map((key) => viewKey(key, now)) };
    },
  });
}

function rotateRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/keys/:id/rotate',
    operationId: 'rotateKey',
    summary: 'Replaces a key by a new one with the same rights.',
    description: `The old key works until the grace period ends, or until its own earlier expiry. ${LIMITS}`,
    access,
    isIdempotent: true,
    body: RotationBody,
    answer: RotatedKeyView,
    status: 201,
    errors: KEY_ERRORS.rotate,
    handle: async ({ params, body, caller, now, once, markReplayed }) => {
      const manager = managerOf(facts, caller, now, once);
      const { view, isReplayed } = await rotateKey(manager, params.id!, body.gracePeriodSeconds);
      if (isReplayed) markReplayed();
      return view;
    },
  });
}

function revokeRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/keys/:id',
    operationId: 'revokeKey',
    summary: 'Revokes a key at once.',
    description: 'A key that has ended already is answered as it is.',
    access,
    answer: KeyView,
    errors: KEY_ERRORS.revoke,
    handle: ({ params, caller, now }) => revokeKey(managerOf(facts, caller, now), params.id!),
  });
}

function managerOf(
  facts: KeysFacts,
  caller: Caller,
  now: EpochNs,
  once: OnceRequest | null = null,
): KeyManager {
  const store = facts.store();
  return {
    store,
    accountId: caller.accountId,
    actor: { kind: 'key', keyId: caller.keyId, ...(once === null ? {} : { once }) },
    now,
    ended: () => endedKey(store, caller, now),
  };
}
