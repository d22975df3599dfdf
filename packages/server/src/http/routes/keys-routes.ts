/** The routes that manage keys: for a key, and for the account's owner at the portal (which has its own list). */

import { KEYS_LISTED_MAX, KEYS_MADE_MAX } from '../../accounts/keys/keys-store.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { endedKey } from '../server/problems/ended-key.ts';
import {
  type Access,
  type AccessRequest,
  defineRoute,
  type Route,
  type RouteError,
} from '../server/route.ts';
import { CreatedKeyView, KeyView, RotatedKeyView, viewKey } from './key-view.ts';
import { type KeyManager, makeKey, revokeKey, rotateKey } from './managed-keys.ts';
import { NewKeyBody, newKeyFaults } from './new-key-body.ts';

export const GRACE_SECONDS_MAX = 604_800;

const UNKNOWN_KEY: RouteError = { code: 'NOT_FOUND', status: 404 };
const TOO_MANY_KEYS: RouteError = { code: 'QUOTA_EXCEEDED', status: 409 };
const CANNOT_ROTATE: RouteError = { code: 'CONFLICT', status: 409 };

const RotationBody = namedObject('KeyRotation', {
  gracePeriodSeconds: Type.Integer({ minimum: 0, maximum: GRACE_SECONDS_MAX }),
});

export interface KeysFacts {
  store(): AccountStore;
  /** The fault of a name that no dataset lists as symbol or alias; null where one does. */
  instrumentFault(name: string): string | null;
}

/** The access, paths and texts of one way to manage keys. */
export interface KeysDoor<A extends Access> {
  readonly access: A;
  readonly path: `/v1/${string}`;
  /** The suffix of the operations' names. */
  readonly name: string;
  readonly isIdempotent?: true;
  /** Description of the rights that a new key may have. */
  readonly rights: string;
  /** Appended to the description of each operation that makes a key; begins with a blank. */
  readonly limits: string;
  managerOf(request: AccessRequest<A>): KeyManager;
  /** Absent: making a key needs no further confirmation. */
  confirm?(request: AccessRequest<A>): Promise<void>;
}

const WITH_A_KEY = { scope: 'keys' } as const;

export function keysRoutes(facts: KeysFacts): readonly Route[] {
  const routes = managingRoutes(facts, {
    access: WITH_A_KEY,
    path: '/v1/keys',
    name: 'Key',
    isIdempotent: true,
    rights: 'The new key has no more rights than the calling key.',
    limits:
      ` \`RATE_LIMITED\` also if the account has created and rotated ${KEYS_MADE_MAX} keys in 24 hours, ` +
      `or has ${KEYS_LISTED_MAX} in its list.`,
    managerOf: ({ caller, now, once }) => {
      const { accountId, keyId } = caller;
      const store = facts.store();
      const actor = { kind: 'key', keyId, ...(once === null ? {} : { once }) } as const;
      return { store, accountId, actor, now, ended: () => endedKey(store, caller, now) };
    },
  });
  return [routes.create, listRoute(facts), routes.rotate, routes.revoke];
}

function listRoute(facts: KeysFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/keys',
    operationId: 'listKeys',
    summary: 'All keys of the account.',
    description: `The newest first: valid keys, and keys that ended in the last 30 days. There are at most ${KEYS_LISTED_MAX}.`,
    access: WITH_A_KEY,
    answer: namedObject('KeyList', { keys: Type.Array(KeyView) }),
    handle: async ({ caller, now }) => {
      const keys = await facts.store().listKeys(now, caller.accountId);
      return { keys: keys.map((key) => viewKey(key, now)) };
    },
  });
}

/** Creating, rotating and revoking, for every manager. */
export function managingRoutes<A extends Access>(facts: KeysFacts, door: KeysDoor<A>) {
  const { access, path, name, rights, limits } = door;
  const idempotent = door.isIdempotent === true ? ({ isIdempotent: true } as const) : {};
  const confirmed = door.confirm === undefined ? {} : ({ asksPasskey: true } as const);
  return {
    create: defineRoute({
      method: 'POST',
      path,
      operationId: `create${name}`,
      summary: 'Creates a key.',
      description: `${rights} The response shows the secret once.${limits}`,
      access,
      ...idempotent,
      ...confirmed,
      body: NewKeyBody,
      answer: CreatedKeyView,
      status: 201,
      errors: [TOO_MANY_KEYS],
      faults: (body, now) => newKeyFaults(body, now, (symbol) => facts.instrumentFault(symbol)),
      handle: async (request) => {
        await door.confirm?.(request);
        const { view, isReplayed } = await makeKey(door.managerOf(request), request.body);
        if (isReplayed) request.markReplayed();
        return view;
      },
    }),
    rotate: defineRoute({
      method: 'POST',
      path: `${path}/:id/rotate`,
      operationId: `rotate${name}`,
      summary: 'Replaces a key by a new one with the same rights.',
      description: `The old key works until the grace period ends, or until its own earlier expiry.${limits}`,
      access,
      ...idempotent,
      ...confirmed,
      body: RotationBody,
      answer: RotatedKeyView,
      status: 201,
      errors: [UNKNOWN_KEY, TOO_MANY_KEYS, CANNOT_ROTATE],
      handle: async (request) => {
        const { gracePeriodSeconds } = request.body;
        await door.confirm?.(request);
        const manager = door.managerOf(request);
        const { view, isReplayed } = await rotateKey(
          manager,
          request.params.id!,
          gracePeriodSeconds,
        );
        if (isReplayed) request.markReplayed();
        return view;
      },
    }),
    revoke: defineRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: `revoke${name}`,
      summary: 'Revokes a key at once.',
      description: 'For a key that has already ended, the response shows it unchanged.',
      access,
      answer: KeyView,
      errors: [UNKNOWN_KEY],
      handle: (request) => revokeKey(door.managerOf(request), request.params.id!),
    }),
  };
}
