/**
 * The routes that manage keys with a key. What the calling key may do to another is judged by the store,
 * in the transaction that does it; here the refusals get their words. A key of another account is
 * unknown.
 */

import { randomBytes } from 'node:crypto';
import type { ManagementCriterion } from '@tapeloom/core/entitlement/key-management';
import type { EpochNs } from '@tapeloom/core/numbers';
import { Type } from 'typebox';
import type { AccountStore, KeyRecord, Refused, StoreCall } from '../accounts/account-store.ts';
import {
  ENDED_KEY_SHOWN_NS,
  KEYS_LISTED_MAX,
  KEYS_MADE_MAX,
  VALID_KEYS_MAX,
} from '../accounts/account-store.ts';
import type { Caller } from '../accounts/caller.ts';
import type { OnceRefused, OnceRequest } from '../accounts/once.ts';
import { digestOf, newKeyText } from '../accounts/secret.ts';
import { endedKey } from './ended-key.ts';
import { onceProblem } from './idempotency.ts';
import { CreatedKeyView, KeyView, RotatedKeyView, viewKey, viewPrevious } from './key-view.ts';
import { NewKeyBody, newKeyFaults, newKeyOf } from './new-key-body.ts';
import { ProblemError, rateLimited } from './problem-error.ts';
import { defineRoute, type Route, type RouteError } from './route.ts';

const GRACE_SECONDS_MAX = 604_800;

const closed = { additionalProperties: false };
const access = { scope: 'keys' } as const;
const UNKNOWN_KEY: RouteError = { code: 'NOT_FOUND', status: 404 };
const TOO_MANY_KEYS: RouteError = { code: 'QUOTA_EXCEEDED', status: 409 };
const CANNOT_ROTATE: RouteError = { code: 'CONFLICT', status: 409 };

const LIMITS =
  `\`RATE_LIMITED\` also when the account has created and rotated ${KEYS_MADE_MAX} keys in 24 hours, or has ` +
  `${KEYS_LISTED_MAX} in its list.`;

const CRITERION_TEXTS: Readonly<Record<ManagementCriterion, string>> = {
  environment: 'environment: your key manages keys of its own environment only.',
  scopes: 'scopes: the key would have a scope that yours has not.',
  instruments:
    'instruments: your key is restricted to instruments, so each instrument entry of the key must be ' +
    'literally one of yours.',
  allowedIps:
    'allowedIps: your key is restricted to IP addresses, so each IP range of the key must lie within ' +
    'one of yours.',
  expiresAt: 'expiresAt: your key expires, so the key must expire no later.',
};

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
    errors: [TOO_MANY_KEYS],
    faults: (body, now) => newKeyFaults(body, now, (name) => facts.instrumentFault(name)),
    handle: async ({ body, caller, now, once, markReplayed }) => {
      const store = facts.store();
      const secret = newKeyText(body.environment, randomBytes);
      const made = await store.createKey(
        callOf(caller, now, once),
        caller.accountId,
        newKeyOf(body),
        digestOf(secret),
      );
      if ('refused' in made) {
        if (made.refused !== 'done-before') throw await refusal(made, store, caller, now);
        const before = await listedKey(store, caller, made.answer, now);
        markReplayed();
        return viewKey(before, now);
      }
      return { ...viewKey(made, now), key: secret };
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
    answer: Type.Object({ keys: Type.Array(KeyView) }, closed),
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
    body: Type.Object(
      { gracePeriodSeconds: Type.Integer({ minimum: 0, maximum: GRACE_SECONDS_MAX }) },
      closed,
    ),
    answer: RotatedKeyView,
    status: 201,
    errors: [UNKNOWN_KEY, TOO_MANY_KEYS, CANNOT_ROTATE],
    handle: async ({ params, body, caller, now, once, markReplayed }) => {
      const store = facts.store();
      const id = params.id!;
      // The secret's text begins with the environment, which a key keeps for ever.
      const { environment } = await listedKey(store, caller, id, now);
      const secret = newKeyText(environment, randomBytes);
      const rotation = await store.rotateKey(
        callOf(caller, now, once),
        caller.accountId,
        id,
        body.gracePeriodSeconds,
        digestOf(secret),
      );
      if ('refused' in rotation) {
        if (rotation.refused !== 'done-before') throw await refusal(rotation, store, caller, now);
        const before = await listedKey(store, caller, rotation.answer, now);
        const old = await listedKey(store, caller, id, now);
        markReplayed();
        return { ...viewKey(before, now), previous: viewPrevious(old, now) };
      }
      const { created, previous } = rotation;
      return { ...viewKey(created, now), key: secret, previous: viewPrevious(previous, now) };
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
    errors: [UNKNOWN_KEY],
    handle: async ({ params, caller, now }) => {
      const store = facts.store();
      const revoked = await store.revokeKey(callOf(caller, now), caller.accountId, params.id!);
      if ('refused' in revoked) throw await refusal(revoked, store, caller, now);
      return viewKey(revoked, now);
    },
  });
}

function callOf(caller: Caller, now: EpochNs, once: OnceRequest | null = null): StoreCall {
  return { now, actor: { kind: 'key', keyId: caller.keyId, ...(once === null ? {} : { once }) } };
}

/** A key that is in the list, found without it. */
async function listedKey(
  store: AccountStore,
  caller: Caller,
  id: string,
  now: EpochNs,
): Promise<KeyRecord> {
  const found = await store.findKeyById(caller.accountId, id);
  if (found === null) throw unknownKey();
  const end = found.key.revokedAt ?? found.key.expiresAt;
  if (end !== null && end <= now - ENDED_KEY_SHOWN_NS) throw unknownKey();
  return found.key;
}

async function refusal(
  refused: Refused | Exclude<OnceRefused, { readonly refused: 'done-before' }>,
  store: AccountStore,
  caller: Caller,
  now: EpochNs,
): Promise<ProblemError> {
  switch (refused.refused) {
    case 'not-found':
      return unknownKey();
    case 'actor-ended':
      return endedKey(store, caller, now);
    case 'criterion':
      return new ProblemError('FORBIDDEN', CRITERION_TEXTS[refused.criterion]);
    case 'too-many-keys':
      return new ProblemError(
        'QUOTA_EXCEEDED',
        `The account has ${VALID_KEYS_MAX} valid keys; revoke one first.`,
        { status: 409 },
      );
    case 'made-too-many':
      return rateLimited(
        `The account has created and rotated ${KEYS_MADE_MAX} keys in 24 hours.`,
        refused.until,
        now,
      );
    case 'list-full':
      return rateLimited(
        `The account's list holds ${KEYS_LISTED_MAX} keys, those included that ended in the last 30 days.`,
        refused.until,
        now,
      );
    case 'already-rotated':
      return new ProblemError('CONFLICT', 'The key was rotated before.');
    case 'ended':
      return new ProblemError('CONFLICT', 'The key is revoked or expired.');
    case 'another-request':
    case 'too-many-remembered':
      return onceProblem(refused, now);
    default:
      return refused satisfies never;
  }
}

function unknownKey(): ProblemError {
  return new ProblemError('NOT_FOUND', 'The account has no key with this id.');
}
