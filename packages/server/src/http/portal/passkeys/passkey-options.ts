/** Options with which a browser makes a passkey or signs with one: the part we use of the standard's JSON. */

import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Session } from '../../../accounts/auth/session-keeper.ts';
import { CHALLENGE_VALID_NS, type PasskeyRecord } from '../../../accounts/people/passkeys-store.ts';
import { namedObject, Type } from '../../contract/schema.ts';
import { passkeyParty } from './passkey-party.ts';
import { ALGORITHMS, userHandleOf } from './webauthn.ts';

const TIMEOUT_MS = Number(CHALLENGE_VALID_NS / MS_NS_BIG);
const PARTY_NAME = 'Tapeloom';
const REQUIRED = 'required';
const PUBLIC_KEY = 'public-key';

const Credential = namedObject('PasskeyCredential', {
  id: Type.String(),
  type: Type.String(),
  transports: Type.Array(Type.String()),
});

export const RequestOptions = namedObject(
  'PasskeyRequestOptions',
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer({ minimum: 1 }),
    userVerification: Type.String(),
    allowCredentials: Type.Array(Credential),
  },
  { description: 'Options for `PublicKeyCredential.parseRequestOptionsFromJSON`.' },
);

export const CreationOptions = namedObject(
  'PasskeyCreationOptions',
  {
    challenge: Type.String(),
    rp: namedObject('PasskeyParty', { id: Type.String(), name: Type.String() }),
    user: namedObject('PasskeyUser', {
      id: Type.String(),
      name: Type.String(),
      displayName: Type.String(),
    }),
    pubKeyCredParams: Type.Array(
      namedObject('PasskeyAlgorithm', { type: Type.String(), alg: Type.Integer() }),
    ),
    timeout: Type.Integer({ minimum: 1 }),
    excludeCredentials: Type.Array(Credential),
    authenticatorSelection: namedObject('PasskeyAuthenticator', {
      residentKey: Type.String(),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.String(),
    }),
    attestation: Type.String(),
  },
  { description: 'Options for `PublicKeyCredential.parseCreationOptionsFromJSON`.' },
);

/** Without passkeys, the browser offers those that it has for us. */
export function requestOptions(
  origin: string,
  challenge: string,
  passkeys: readonly PasskeyRecord[] = [],
) {
  return {
    challenge,
    rpId: passkeyParty(origin).id,
    timeout: TIMEOUT_MS,
    userVerification: REQUIRED,
    allowCredentials: passkeys.map(credentialOf),
  };
}

/** A passkey that the authenticator finds by itself, so that signing in needs no name first. */
export function creationOptions(
  origin: string,
  challenge: string,
  { accountId, email }: Pick<Session, 'accountId' | 'email'>,
  passkeys: readonly PasskeyRecord[],
) {
  return {
    challenge,
    rp: { id: passkeyParty(origin).id, name: PARTY_NAME },
    user: { id: userHandleOf(accountId), name: email, displayName: email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: PUBLIC_KEY, alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: passkeys.map(credentialOf),
    authenticatorSelection: {
      residentKey: REQUIRED,
      requireResidentKey: true,
      userVerification: REQUIRED,
    },
    attestation: 'none',
  };
}

function credentialOf({ credentialId, transports }: PasskeyRecord) {
  return { id: credentialId, type: PUBLIC_KEY, transports: [...transports] };
}
