/** The body of `POST /v1/keys`: its schema, the faults no schema can express, and its key without duplicate entries. */

import { parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import {
  ENVIRONMENTS,
  KEY_NAME_CHARACTERS_MAX,
  keyNameFault,
  RESTRICTION_ENTRIES_MAX,
  SCOPES,
} from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { FieldFault } from '@tapeloom/protocol/problem';
import type { Static } from 'typebox';
import type { NewKey } from '../../accounts/keys/keys-store.ts';
import { namedObject, Type } from '../contract/schema.ts';

/** The last instant that 64 bits hold, in the year 2262. */
const INSTANT_MAX = 2n ** 63n - 1n;
const NO_RANGE =
  'is not an IP address or CIDR range (an IPv4-mapped IPv6 address takes /96 to /128)';
const DECIMAL = /^[0-9]{1,19}$/;

const entries = (description: string) =>
  Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: RESTRICTION_ENTRIES_MAX,
      description,
    }),
  );

export const NewKeyBody = namedObject('NewKey', {
  name: Type.String({
    minLength: 1,
    maxLength: KEY_NAME_CHARACTERS_MAX,
    description:
      'The length is counted in code points. The name is not blank, and has no control characters, line ' +
      'separators, invisible or direction marks.',
  }),
  environment: Type.Enum(ENVIRONMENTS, {
    title: 'Environment',
    description: '`live`: the rights of the plan. `test`: those of the sandbox.',
  }),
  scopes: Type.Array(Type.Enum(SCOPES, { title: 'Scope' }), {
    minItems: 1,
    maxItems: RESTRICTION_ENTRIES_MAX,
    description: 'The scopes of the key. Here as below, an entry listed twice counts once.',
  }),
  instruments: entries('Symbols and aliases of any dataset, case-sensitive. Omit it to allow all.'),
  allowedIps: entries('IP addresses and CIDR ranges. Omit it to allow any address.'),
  expiresAt: Type.Optional(
    Type.String({
      description:
        'The first instant at which the key no longer works, in the future: nanoseconds since ' +
        '1970-01-01 UTC, as a decimal string.',
    }),
  ),
});
export type NewKeyBody = Static<typeof NewKeyBody>;

/** Faults that the schema cannot express, for a body of any shape. */
export function newKeyFaults(
  body: unknown,
  now: EpochNs,
  instrumentFault: (name: string) => string | null,
): FieldFault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { name, instruments, allowedIps, expiresAt } = body as Record<string, unknown>;
  const nameFault = typeof name === 'string' ? keyNameFault(name) : null;
  const faults = [
    ...(nameFault === null ? [] : [{ path: '/name', message: nameFault }]),
    ...entryFaults('/instruments', instruments, instrumentFault),
    ...entryFaults('/allowedIps', allowedIps, (text) =>
      parseIpRange(text) === null ? NO_RANGE : null,
    ),
  ];
  if (typeof expiresAt === 'string') {
    const message = expiryFault(expiresAt, now);
    if (message !== null) faults.push({ path: '/expiresAt', message });
  }
  return faults;
}

export function newKeyOf(body: NewKeyBody): NewKey {
  const once = <T>(list: readonly T[]): readonly T[] => [...new Set(list)];
  return {
    name: body.name,
    environment: body.environment,
    scopes: once(body.scopes),
    instruments: body.instruments === undefined ? null : once(body.instruments),
    allowedIps: body.allowedIps === undefined ? null : once(body.allowedIps),
    expiresAt: body.expiresAt === undefined ? null : (BigInt(body.expiresAt) as EpochNs),
  };
}

function entryFaults(
  path: string,
  list: unknown,
  faultOf: (text: string) => string | null,
): FieldFault[] {
  if (!Array.isArray(list) || list.length > RESTRICTION_ENTRIES_MAX) return [];
  return list.flatMap((entry: unknown, index) => {
    const message = typeof entry === 'string' ? faultOf(entry) : null;
    return message === null ? [] : [{ path: `${path}/${index}`, message }];
  });
}

function expiryFault(text: string, now: EpochNs): string | null {
  if (!DECIMAL.test(text)) return 'must be nanoseconds since 1970-01-01 UTC, as a decimal string';
  const instant = BigInt(text);
  if (instant > INSTANT_MAX) return `must be at most ${INSTANT_MAX}`;
  return instant > now ? null : 'must be in the future';
}
