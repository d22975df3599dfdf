/**
 * Who is asking. REST and stream hand over the `Authorization` header as it came and get the same
 * verdict; what each does with it (401, close 4001) is theirs.
 */

import { KEY_TEXT } from '@tapeloom/protocol/key-text';

export interface Principal {
  readonly accountId: string;
  readonly keyId: string;
}

/**
 * `missing`: no header. `malformed`: not `Bearer <key>` with a text that could be a key.
 * `unknown`: well formed, but no key of ours.
 */
export type Authentication =
  | { readonly verdict: 'accepted'; readonly principal: Principal }
  | { readonly verdict: 'missing' | 'malformed' | 'unknown' };

export interface Authenticator {
  authenticate(authorization: string | undefined): Promise<Authentication>;
}

/** The key in a header `Bearer <key>` (the word in any case, one space), or null. */
export function bearerKey(authorization: string): string | null {
  const match = /^bearer (\S+)$/i.exec(authorization);
  return match !== null && KEY_TEXT.test(match[1]!) ? match[1]! : null;
}
