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

const CLIENT_DATA = 'What the browser signed: type, challenge and origin.';

export const AssertionBody = namedObject(
  'PasskeyAssertion',
  {
    id: bytes("The credential's id."),
    clientDataJSON: bytes(CLIENT_DATA),
    authenticatorData: bytes('What the authenticator says of itself, with its counter.'),
    signature: bytes('Over both.'),
    userHandle: Type.Optional(bytes('Whose passkey it is, as the authenticator knows it.')),
  },
  { description: 'A challenge that a passkey has signed; all in base64url.' },
);
export type AssertionBody = Static<typeof AssertionBody>;

export const NewCredentialBody = namedObject(
  'NewPasskeyCredential',
  {
    id: bytes("The credential's id."),
    clientDataJSON: bytes(CLIENT_DATA),
    attestationObject: bytes('The public key, as the authenticator made it.', 10_000),
    transports: Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['internal'] }), {
      maxItems: TRANSPORTS_MAX,
      description: 'How a browser can reach it.',
    }),
  },
  { description: 'A passkey that was made for a challenge.' },
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
