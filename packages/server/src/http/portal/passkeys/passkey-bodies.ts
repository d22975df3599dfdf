/** A browser's passkey data: a new credential, and a signed challenge, which confirming requests send as a header. */

import type { Static } from 'typebox';
import { namedObject, Type } from '../../contract/schema.ts';
import { invalidParameters } from '../../server/problems/problem-error.ts';

export const PASSKEY_HEADER = 'X-Passkey';

/** The standard allows 1,023 bytes for a credential's id; the other fields are far shorter than this. */
const TEXT_MAX = 4_096;
const BASE64URL = '^[A-Za-z0-9_-]+$';
const TRANSPORTS_MAX = 8;

const bytes = (description: string, maxLength = TEXT_MAX) =>
  Type.String({ pattern: BASE64URL, minLength: 1, maxLength, description });

const CLIENT_DATA = 'The client data that the browser signed: type, challenge and origin.';

export const AssertionBody = namedObject(
  'PasskeyAssertion',
  {
    id: bytes("The credential's id."),
    clientDataJSON: bytes(CLIENT_DATA),
    authenticatorData: bytes('The data of the authenticator about itself, with its counter.'),
    signature: bytes('The signature over the client data and the authenticator data.'),
    userHandle: Type.Optional(bytes('The owner of the passkey, as the authenticator stores it.')),
  },
  { description: 'A challenge that a passkey has signed. All fields are in base64url.' },
);
export type AssertionBody = Static<typeof AssertionBody>;

export const NewCredentialBody = namedObject(
  'NewPasskeyCredential',
  {
    id: bytes("The credential's id."),
    clientDataJSON: bytes(CLIENT_DATA),
    attestationObject: bytes('The public key, as the authenticator created it.', 10_000),
    transports: Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['internal'] }), {
      maxItems: TRANSPORTS_MAX,
      description: 'The transports by which a browser can reach the passkey.',
    }),
  },
  { description: 'A passkey that was created for a challenge.' },
);
export type NewCredentialBody = Static<typeof NewCredentialBody>;

const FIELDS = ['id', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const;
const SOUND = new RegExp(BASE64URL);

/** Parses the header; throws when it is invalid. */
export function assertionOf(header: string): AssertionBody {
  const found = parsed(header);
  const isSound = (name: (typeof FIELDS)[number]) => {
    const value = found[name];
    if (value === undefined) return name === 'userHandle';
    return typeof value === 'string' && value.length <= TEXT_MAX && SOUND.test(value);
  };
  const isOurs = Object.keys(found).every((name) => (FIELDS as readonly string[]).includes(name));
  if (isOurs && FIELDS.every(isSound)) return found as AssertionBody;
  const message = 'is a header with a PasskeyAssertion as JSON';
  throw invalidParameters([{ path: `/${PASSKEY_HEADER}`, message }]);
}

function parsed(header: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(header);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Rejected below.
  }
  return {};
}
