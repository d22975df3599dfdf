/**
 * The browser's passkeys: whether they are available, creating one, and signing with one. Failures are a `PortalError`
 * with our own message; a browser only reports that nothing was signed.
 */

import { PortalError } from './portal-error.ts';
import type { NewCredential, PasskeyAssertion } from './portal-shapes.ts';

/** Browsers create no passkeys for bare IP addresses. */
const IP_ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[.*\])$/;

export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
    !IP_ADDRESS.test(location.hostname)
  );
}

export function whyNoPasskeys(): string {
  if (!IP_ADDRESS.test(location.hostname)) return 'This browser has no passkeys. Use a newer one.';
  return location.hostname === '127.0.0.1'
    ? `Passkeys need a host name. Open http://localhost:${location.port} instead.`
    : 'Passkeys need a host name, and this service is reached by an IP address.';
}

export async function makePasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<NewCredential> {
  const made = await attempt(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  );
  const { id, response } = made.toJSON() as RegistrationResponseJSON;
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, clientDataJSON, attestationObject, transports };
}

export async function signWithPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<PasskeyAssertion> {
  const signed = await attempt(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    }),
  );
  const { id, response } = signed.toJSON() as AuthenticationResponseJSON;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const whose = userHandle === undefined || userHandle === null ? {} : { userHandle };
  return { id, clientDataJSON, authenticatorData, signature, ...whose };
}

async function attempt(run: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!hasPasskeys()) throw new PortalError('CONFLICT', whyNoPasskeys());
  let found: Credential | null;
  try {
    found = await run();
  } catch (cause) {
    const isKnown = cause instanceof DOMException && cause.name === 'InvalidStateError';
    const text = isKnown
      ? 'This device already has a passkey of your account.'
      : 'No passkey was used: it was cancelled, took too long, or there is none on this device.';
    throw new PortalError('CONFLICT', text, { cause });
  }
  if (found instanceof PublicKeyCredential) return found;
  throw new PortalError('CONFLICT', 'No passkey was used.');
}
