/** An e-mail address in a body: its schema, its faults, and its normal form. */

import { type EmailAddress, normalEmail } from '@tapeloom/core/person/email-address';
import type { FieldFault } from '@tapeloom/protocol/problem';
import { Type } from '../../contract/schema.ts';

/** Longer than any address, so that a wrongly pasted text gets our message. */
const CHARACTERS_MAX = 1_000;

export const EmailField = Type.String({
  maxLength: CHARACTERS_MAX,
  description: 'An e-mail address.',
  examples: ['you@example.com'],
});

/** The address itself is not repeated, whatever it holds. */
export function emailFaults(body: unknown): readonly FieldFault[] {
  const email = (body as { readonly email?: unknown } | null | undefined)?.email;
  if (typeof email !== 'string' || normalEmail(email) !== null) return [];
  return [{ path: '/email', message: 'is not an e-mail address such as you@example.com' }];
}

export function addressOf({ email }: { readonly email: string }): EmailAddress {
  return normalEmail(email)!;
}

/** `y…@example.com`: enough for a reader who knows the address, and little for others. */
export function hintOfEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email][0]!}…${email.slice(at)}`;
}
