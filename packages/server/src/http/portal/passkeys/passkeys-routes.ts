/**
 * Passkeys of the account's owner. The first one must be added shortly after a sign-in, so that a stolen session cannot
 * stay for good. Later changes (another one, removing one, the second factor) need a confirmation by one of them.
 */

import { KEY_NAME_CHARACTERS_MAX, keyNameFault } from '@tapeloom/core/entitlement/key-rights';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { FieldFault } from '@tapeloom/protocol/problem';
import { digestOf } from '../../../accounts/auth/secret.ts';
import {
  PASSKEY_ACTS,
  PASSKEYS_MAX,
  type PasskeyRecord,
  type RecoveryRecord,
} from '../../../accounts/people/passkeys-store.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject, namedObject, Type } from '../../contract/schema.ts';
import { ProblemError, rateLimited } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route, type RouteError } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { NewCredentialBody } from './passkey-bodies.ts';
import {
  CreationOptions,
  creationOptions,
  RequestOptions,
  requestOptions,
} from './passkey-options.ts';
import { passkeyParty } from './passkey-party.ts';
import { newChallenge, requirePasskey } from './passkey-proof.ts';
import { challengeOf, provenPasskey } from './webauthn.ts';

/** Largest age of a session that may add the first passkey. */
const FRESH_MINUTES = 15;
const FRESH_NS = BigInt(FRESH_MINUTES) * MINUTE_NS_BIG;

const CONFLICT: RouteError = { code: 'CONFLICT', status: 409 };
const TOO_MANY: RouteError = { code: 'QUOTA_EXCEEDED', status: 409 };
const UNKNOWN: RouteError = { code: 'NOT_FOUND', status: 404 };
const OWNER = { kind: 'owner' } as const;

const PasskeyView = namedObject('Passkey', {
  id: Type.String(),
  name: Type.String(),
  createdAt: Instant('Time at which the passkey was added'),
  lastUsedAt: Type.Union([Instant('Last use'), Type.Null()]),
});

export const RecoveryView = Type.Union(
  [
    namedObject('PasskeyRecovery', {
      askedAt: Instant('Time of the request'),
      dueAt: Instant('Time at which all passkeys are removed'),
    }),
    Type.Null(),
  ],
  { description: 'A recovery of lost passkeys that is in progress; null: there is none.' },
);

const PasskeyList = namedObject('PasskeyList', {
  passkeys: Type.Array(PasskeyView, { description: 'The oldest first.' }),
  max: Type.Integer({ minimum: 1, description: 'The most passkeys of an account.' }),
  secondFactor: Type.Boolean({ description: 'Whether a sign-in link also needs a passkey.' }),
  recovery: RecoveryView,
  mayAdd: Type.Boolean({
    description: `Whether a passkey can be added now. The first one needs a sign-in within the last ${FRESH_MINUTES} minutes.`,
  }),
});

export function passkeysRoutes(facts: () => PortalFacts): readonly Route[] {
  return [
    listRoute(facts),
    confirmRoute(facts),
    beginRoute(facts),
    addRoute(facts),
    removeRoute(facts),
    secondFactorRoute(facts),
  ];
}

function listRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/passkeys',
    operationId: 'listPasskeys',
    summary: 'The passkeys of the account.',
    description:
      'The response has the last use of each, whether a sign-in link also needs a passkey, and a ' +
      'recovery in progress.',
    access: 'session',
    answer: PasskeyList,
    handle: async ({ session, now }) => {
      const { passkeys, people } = facts().store;
      const { accountId } = session;
      const [list, owner, recovery] = await Promise.all([
        passkeys.passkeysOf(accountId),
        people.ownerOf(accountId),
        passkeys.recoveryOf(accountId),
      ]);
      return {
        passkeys: list.map(viewPasskey),
        max: PASSKEYS_MAX,
        secondFactor: owner?.secondFactor ?? false,
        recovery: viewRecovery(recovery),
        mayAdd: list.length > 0 || now - session.createdAt < FRESH_NS,
      };
    },
  });
}

function confirmRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/passkeys/confirm',
    operationId: 'askForPasskey',
    summary: 'Creates a challenge with which a passkey confirms one action.',
    description:
      'Send the signed challenge with the action itself, in the header `X-Passkey`, once and within 5 minutes.',
    access: 'session',
    isForSuspended: true,
    body: closedObject({ act: Type.Enum(PASSKEY_ACTS, { title: 'PasskeyAct' }) }),
    answer: RequestOptions,
    errors: [CONFLICT],
    handle: async ({ body, session, now, address }) => {
      const portal = facts();
      const list = await portal.store.passkeys.passkeysOf(session.accountId);
      if (list.length === 0) throw noPasskeys();
      const challenge = await newChallenge(portal, { session, now, address }, body.act);
      return requestOptions(portal.origin, challenge, list);
    },
  });
}

function beginRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/passkeys/new',
    operationId: 'beginPasskey',
    summary: 'Creates a challenge with which a browser creates a new passkey.',
    description:
      `The first passkey needs a sign-in within the last ${FRESH_MINUTES} minutes, otherwise the ` +
      'response is `FORBIDDEN`. Any other is confirmed by an existing passkey.',
    access: 'session',
    asksPasskey: true,
    answer: CreationOptions,
    errors: [TOO_MANY, CONFLICT],
    handle: async (request) => {
      const portal = facts();
      const { session, now, address } = request;
      passkeyParty(portal.origin);
      const list = await portal.store.passkeys.passkeysOf(session.accountId);
      if (list.length >= PASSKEYS_MAX) throw tooManyPasskeys();
      if (list.length === 0 && now - session.createdAt >= FRESH_NS) throw notFresh();
      await requirePasskey(portal, request, 'add-passkey');
      const challenge = await newChallenge(portal, { session, now, address }, 'new-passkey');
      return creationOptions(portal.origin, challenge, session, list);
    },
  });
}

function addRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/passkeys',
    operationId: 'addPasskey',
    summary: 'Adds a passkey that a browser has created.',
    description: `The request gives it a name. An account has at most ${PASSKEYS_MAX} passkeys. A mail informs the owner.`,
    access: 'session',
    body: closedObject({
      name: Type.String({ minLength: 1, maxLength: KEY_NAME_CHARACTERS_MAX }),
      credential: NewCredentialBody,
    }),
    answer: PasskeyView,
    status: 201,
    errors: [TOO_MANY, CONFLICT],
    faults: nameFaults,
    handle: async ({ body, session, now }) => {
      const { store, origin } = facts();
      const party = passkeyParty(origin);
      const challenge = challengeOf(body.credential.clientDataJSON);
      const of = { purpose: 'new-passkey', sessionId: session.id } as const;
      const isAsked =
        challenge !== null &&
        (await store.passkeys.useChallenge(now, digestOf(challenge).hash, of));
      const proved = isAsked ? await provenPasskey(party, challenge, body.credential) : null;
      if (proved === null) {
        throw new ProblemError(
          'CONFLICT',
          'The passkey was not accepted, or the request expired. Try again.',
        );
      }
      const call = { now, actor: OWNER };
      const passkey = { ...proved, name: body.name };
      const added = await store.passkeys.addPasskey(call, session.accountId, passkey);
      if (!('refused' in added)) return viewPasskey(added);
      if (added.refused === 'too-many-passkeys') throw tooManyPasskeys();
      if (added.refused === 'too-many') {
        throw rateLimited('Too many passkeys were added within a day.', added.until, now);
      }
      throw new ProblemError('CONFLICT', 'This passkey is already registered.');
    },
  });
}

function removeRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/portal/passkeys/:id',
    operationId: 'removePasskey',
    summary: 'Removes a passkey.',
    description:
      'A passkey must confirm the removal; it may be the same one. When the last passkey is removed, ' +
      'the second factor is switched off. A mail informs the owner.',
    access: 'session',
    asksPasskey: true,
    answer: closedObject({}),
    errors: [UNKNOWN, CONFLICT],
    handle: async (request) => {
      const portal = facts();
      const { session, params, now } = request;
      const { passkeys } = portal.store;
      const list = await passkeys.passkeysOf(session.accountId);
      if (!list.some(({ id }) => id === params.id)) throw unknownPasskey();
      await requirePasskey(portal, request, 'remove-passkey');
      const call = { now, actor: OWNER };
      if (await passkeys.removePasskey(call, session.accountId, params.id!)) return {};
      throw unknownPasskey();
    },
  });
}

function secondFactorRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/passkeys/second-factor',
    operationId: 'chooseSecondFactor',
    summary: 'Sets whether a sign-in link also needs a passkey.',
    description: 'A passkey must confirm both switching on and switching off.',
    access: 'session',
    asksPasskey: true,
    body: closedObject({ isOn: Type.Boolean() }),
    answer: closedObject({ isOn: Type.Boolean() }),
    errors: [CONFLICT],
    handle: async (request) => {
      const portal = facts();
      const { session, body, now } = request;
      await requirePasskey(portal, request, 'second-factor');
      const call = { now, actor: OWNER };
      const { passkeys } = portal.store;
      if (!(await passkeys.setSecondFactor(call, session.accountId, body.isOn))) throw noPasskeys();
      return { isOn: body.isOn };
    },
  });
}

function viewPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRecord) {
  return {
    id,
    name,
    createdAt: createdAt.toString(),
    lastUsedAt: lastUsedAt?.toString() ?? null,
  };
}

export function viewRecovery(recovery: RecoveryRecord | null) {
  if (recovery === null) return null;
  return { askedAt: recovery.askedAt.toString(), dueAt: recovery.dueAt.toString() };
}

function nameFaults(body: unknown): readonly FieldFault[] {
  const name = (body as { readonly name?: unknown } | null | undefined)?.name;
  const message = typeof name === 'string' ? keyNameFault(name) : null;
  return message === null ? [] : [{ path: '/name', message }];
}

function noPasskeys(): ProblemError {
  return new ProblemError('CONFLICT', 'The account has no passkey.');
}

function unknownPasskey(): ProblemError {
  return new ProblemError('NOT_FOUND', 'The account has no passkey with this id.');
}

function tooManyPasskeys(): ProblemError {
  const why = `The account has ${PASSKEYS_MAX} passkeys; remove one first.`;
  return new ProblemError('QUOTA_EXCEEDED', why, { status: 409 });
}

function notFresh(): ProblemError {
  return new ProblemError(
    'FORBIDDEN',
    `The first passkey needs a sign-in of the last ${FRESH_MINUTES} minutes. Sign in again, then add it.`,
  );
}
