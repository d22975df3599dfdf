/**
 * Creates, rotates and revokes keys, for a managing key and for the owner at the portal alike. The store checks the
 * manager's rights in the same transaction; here its rejections become errors. A key of another account is unknown.
 */

import { randomBytes } from 'node:crypto';
import type { ManagementCriterion } from '@tapeloom/core/entitlement/key-management';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Static } from 'typebox';
import { digestOf, newKeyText } from '../../accounts/auth/secret.ts';
import {
  ENDED_KEY_SHOWN_NS,
  KEYS_LISTED_MAX,
  KEYS_MADE_MAX,
  type KeyRecord,
  type Refused,
  VALID_KEYS_MAX,
} from '../../accounts/keys/keys-store.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { OnceRefused } from '../../accounts/store/once.ts';
import type { Actor } from '../../accounts/store/store-call.ts';
import { onceProblem } from '../server/idempotency.ts';
import { ProblemError, rateLimited } from '../server/problems/problem-error.ts';
import {
  type CreatedKeyView,
  type KeyView,
  type RotatedKeyView,
  viewKey,
  viewPrevious,
} from './key-view.ts';
import { type NewKeyBody, newKeyOf } from './new-key-body.ts';

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

export interface KeyManager {
  readonly store: AccountStore;
  readonly accountId: string;
  readonly actor: Actor;
  readonly now: EpochNs;
  /** The error for a manager that was admitted and has lost its rights since. */
  ended(): Promise<ProblemError>;
}

/** The result, or (`isReplayed`) the result of the same request before. */
export interface Managed<View> {
  readonly view: View;
  readonly isReplayed: boolean;
}

export async function makeKey(
  manager: KeyManager,
  body: NewKeyBody,
): Promise<Managed<Static<typeof CreatedKeyView>>> {
  const { store, accountId, actor, now } = manager;
  const secret = newKeyText(body.environment, randomBytes);
  const made = await store.createKey({ now, actor }, accountId, newKeyOf(body), digestOf(secret));
  if (!('refused' in made)) {
    return { view: { ...viewKey(made, now), key: secret }, isReplayed: false };
  }
  if (made.refused !== 'done-before') throw await refusal(manager, made);
  const before = await listedKey(manager, made.answer);
  return { view: viewKey(before, now), isReplayed: true };
}

export async function rotateKey(
  manager: KeyManager,
  id: string,
  graceSeconds: number,
): Promise<Managed<Static<typeof RotatedKeyView>>> {
  const { store, accountId, actor, now } = manager;
  // The secret's text begins with the environment, which a key keeps for ever.
  const { environment } = await listedKey(manager, id);
  const secret = newKeyText(environment, randomBytes);
  const rotation = await store.rotateKey(
    { now, actor },
    accountId,
    id,
    graceSeconds,
    digestOf(secret),
  );
  if (!('refused' in rotation)) {
    const { created, previous } = rotation;
    const view = { ...viewKey(created, now), key: secret, previous: viewPrevious(previous, now) };
    return { view, isReplayed: false };
  }
  if (rotation.refused !== 'done-before') throw await refusal(manager, rotation);
  const before = await listedKey(manager, rotation.answer);
  const old = await listedKey(manager, id);
  const view = { ...viewKey(before, now), previous: viewPrevious(old, now) };
  return { view, isReplayed: true };
}

export async function revokeKey(manager: KeyManager, id: string): Promise<KeyView> {
  const { store, accountId, actor, now } = manager;
  const revoked = await store.revokeKey({ now, actor }, accountId, id);
  if ('refused' in revoked) throw await refusal(manager, revoked);
  return viewKey(revoked, now);
}

/** Finds a key that the list shows, without reading the list. */
async function listedKey({ store, accountId, now }: KeyManager, id: string): Promise<KeyRecord> {
  const found = await store.findKeyById(accountId, id);
  if (found === null) throw unknownKey();
  const end = found.key.revokedAt ?? found.key.expiresAt;
  if (end !== null && end <= now - ENDED_KEY_SHOWN_NS) throw unknownKey();
  return found.key;
}

async function refusal(
  { now, ended }: KeyManager,
  refused: Refused | Exclude<OnceRefused, { readonly refused: 'done-before' }>,
): Promise<ProblemError> {
  switch (refused.refused) {
    case 'not-found':
      return unknownKey();
    case 'actor-ended':
      return ended();
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
        `The account's list of keys is full: ${KEYS_LISTED_MAX}, including those that ended in the last 30 days.`,
        refused.until,
        now,
      );
    case 'already-rotated':
      return new ProblemError('CONFLICT', 'The key has already been rotated.');
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
