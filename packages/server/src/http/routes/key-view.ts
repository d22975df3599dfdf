/** The public view of a key: everything but its secret, which only the response that creates it holds. */

import {
  ENVIRONMENTS,
  KEY_STATES,
  keyStateAt,
  SCOPES,
} from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Static } from 'typebox';
import type { KeyRecord } from '../../accounts/keys/keys-store.ts';
import { Instant } from '../contract/instant-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';

const RECORD_FIELDS = {
  id: Type.String({ description: 'The id of the key in the paths that rotate and revoke it.' }),
  name: Type.String({ description: 'The name that you gave the key, for people.' }),
  environment: Type.Enum(ENVIRONMENTS, {
    title: 'Environment',
    description: '`test`: the key has the limits of the sandbox.',
  }),
  scopes: Type.Array(Type.Enum(SCOPES, { title: 'Scope' }), {
    description: 'The scopes of the key.',
  }),
  instruments: Type.Optional(
    Type.Array(Type.String(), {
      description: 'The instruments that the key may read. Absent: all instruments.',
    }),
  ),
  allowedIps: Type.Optional(
    Type.Array(Type.String(), {
      description: 'The addresses from which the key may be used. Absent: any address.',
    }),
  ),
  expiresAt: Type.Optional(Instant('The first instant at which the key no longer works')),
  state: Type.Enum(KEY_STATES, {
    title: 'KeyState',
    description: '`expiring`: the key works until `expiresAt`.',
  }),
  hint: Type.String({ description: 'The last four characters of the secret.' }),
  createdAt: Instant('Creation'),
  lastUsedAt: Type.Union([Instant('Last use, to the minute'), Type.Null()], {
    description: 'Null before the first use of the key.',
  }),
  revokedAt: Type.Optional(Instant('Revocation')),
  rotatedTo: Type.Optional(
    Type.String({ description: 'The id of the key that replaced this one.' }),
  ),
};

const SECRET_FIELD = {
  key: Type.Optional(
    Type.String({
      description:
        'The secret. The service shows it only here, and never again: not in a response with ' +
        '`Idempotent-Replayed` either.',
    }),
  ),
};

export const KeyView = namedObject('Key', RECORD_FIELDS);
export type KeyView = Static<typeof KeyView>;

export const CreatedKeyView = namedObject('CreatedKey', { ...RECORD_FIELDS, ...SECRET_FIELD });

export const RotatedKeyView = namedObject('RotatedKey', {
  ...RECORD_FIELDS,
  ...SECRET_FIELD,
  previous: namedObject(
    'PreviousKey',
    {
      id: Type.String(),
      state: Type.Enum(KEY_STATES, { title: 'KeyState' }),
      expiresAt: Type.Optional(Instant('The end of the old key')),
    },
    { description: 'The old key.' },
  ),
});

export function viewKey(key: KeyRecord, now: EpochNs): KeyView {
  return {
    id: key.id,
    name: key.name,
    environment: key.environment,
    scopes: [...key.scopes],
    ...(key.instruments === null ? {} : { instruments: [...key.instruments] }),
    ...(key.allowedIps === null ? {} : { allowedIps: [...key.allowedIps] }),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt.toString() }),
    state: keyStateAt(key, now),
    hint: key.hint,
    createdAt: key.createdAt.toString(),
    lastUsedAt: key.lastUsedAt === null ? null : key.lastUsedAt.toString(),
    ...(key.revokedAt === null ? {} : { revokedAt: key.revokedAt.toString() }),
    ...(key.rotatedTo === null ? {} : { rotatedTo: key.rotatedTo }),
  };
}

/** The old key, in the answer to a rotation. */
export function viewPrevious(
  key: KeyRecord,
  now: EpochNs,
): Static<typeof RotatedKeyView>['previous'] {
  const { id, state, expiresAt } = viewKey(key, now);
  return { id, state, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
