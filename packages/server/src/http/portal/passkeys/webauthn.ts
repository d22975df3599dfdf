/**
 * Proofs by `@simplewebauthn/server`: a passkey was made for a challenge, or signed one, at our origin, by a user whom
 * the authenticator has verified. The library is loaded with the first passkey. A rejection is null. The client's data
 * is read here only to find the challenge; the library proves it.
 */

import type { NewPasskey, PasskeyRecord } from '../../../accounts/people/passkeys-store.ts';
import type { AssertionBody, NewCredentialBody } from './passkey-bodies.ts';
import type { PasskeyParty } from './passkey-party.ts';

/** EdDSA, ES256 and RS256, in the order of preference that authenticators get. */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

const library = () => import('@simplewebauthn/server');

/** The claimed challenge; null: there is none, or it was signed inside another site's page. */
export function challengeOf(clientDataJSON: string): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    const { challenge, crossOrigin } = data as Record<string, unknown>;
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : null;
  } catch {
    return null;
  }
}

export async function provenPasskey(
  party: PasskeyParty,
  challenge: string,
  { id, clientDataJSON, attestationObject, transports }: NewCredentialBody,
): Promise<Omit<NewPasskey, 'name'> | null> {
  const { verifyRegistrationResponse } = await library();
  const proved = await orNull(() =>
    verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    }),
  );
  if (proved?.verified !== true) return null;
  const { credential } = proved.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports,
  };
}

/** The passkey's new counter; null: it did not sign this, or its counter went back. */
export async function provenCounter(
  party: PasskeyParty,
  challenge: string,
  { id, clientDataJSON, authenticatorData, signature, userHandle }: AssertionBody,
  passkey: PasskeyRecord,
): Promise<number | null> {
  if (userHandle !== undefined && userHandle !== userHandleOf(passkey.accountId)) return null;
  const { verifyAuthenticationResponse } = await library();
  const proved = await orNull(() =>
    verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    }),
  );
  return proved?.verified === true ? proved.authenticationInfo.newCounter : null;
}

/** The authenticator's name for the owner: the account's id, which is meaningless elsewhere. */
export function userHandleOf(accountId: string): string {
  return Buffer.from(accountId).toString('base64url');
}

/** The library throws on malformed input. */
async function orNull<T>(prove: () => Promise<T>): Promise<T | null> {
  try {
    return await prove();
  } catch {
    return null;
  }
}
