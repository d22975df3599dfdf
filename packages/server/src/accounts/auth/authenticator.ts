/**
 * Recognises keys and stream tokens. REST and stream hand over the `Authorization` header as received and get the same
 * verdict; each maps it to its own error (401, close 4001). Whether the caller may do what it requests (scope, address,
 * plan) is checked against its entitlements afterwards.
 */

import { KEY_TEXT } from '@tapeloom/protocol/key-text';
import type { Caller } from './caller.ts';
import { isSoundText } from './secret.ts';

const NAME = 'authorization';

/**
 * `missing`: no key was sent. `malformed`: not `Bearer <key>` with a text that could be a key (its checksum counts).
 * `unknown`: well formed, but no key of ours. `expired`, `revoked`: a former key.
 */
export type Authentication =
  | { readonly verdict: 'accepted'; readonly caller: Caller }
  | { readonly verdict: 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' };

/** A change of a caller's rights; connections opened with these rights must be notified. */
export type RightsChange =
  /** The key was revoked or has expired. */
  | { readonly t: 'key-ended'; readonly keyId: string }
  /** The plan or the suspension changed, and with it the rights of every key of the account. */
  | { readonly t: 'account-changed'; readonly accountId: string };

export interface Authenticator {
  /** The verdict if it needs no look-up: for a key seen before, or no key at all. Null: look it up. */
  recall(authorization: string | undefined): Authentication | null;
  /** The verdict on any header, with a look-up where one is needed. */
  authenticate(authorization: string | undefined): Promise<Authentication>;
  /** Whether this caller's key would give exactly this caller now. Saves the digest of a repeated header. */
  isCurrent(caller: Caller): boolean;
  /** Uses the token up. The state of its key is judged again. */
  consumeToken(token: string): Promise<Authentication>;
  /**
   * Watches the caller's key: listeners receive every change from now on. A holder of a caller must call this at once.
   */
  watch(caller: Caller): Disposable;
  /** The current rights of a watched key; null when the key has ended. */
  refresh(keyId: string): Promise<Caller | null>;
  /** Reports every change to a watched key within a second, its expiry within two. */
  onRightsChange(listener: (change: RightsChange) => void): Disposable;
}

/**
 * The `Authorization` header as received; undefined without one. Node hides all but the first, so two readers of one
 * request could see two callers. Several are therefore joined as HTTP joins them, which is no valid key.
 */
export function sentAuthorization(request: {
  readonly rawHeaders: readonly string[];
}): string | undefined {
  const { rawHeaders } = request;
  let sent: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length !== NAME.length || rawHeaders[at]!.toLowerCase() !== NAME) continue;
    sent = sent === undefined ? rawHeaders[at + 1]! : `${sent}, ${rawHeaders[at + 1]!}`;
  }
  return sent;
}

/** Whether a header holds no key at all: it is empty, or the word `Bearer` alone. */
export function isWithoutKey(authorization: string): boolean {
  return /^(?:bearer)?[ \t]*$/i.test(authorization);
}

/** The text after `Bearer ` (in any case, one space) if it could be a key, or null. */
export function bearerKey(authorization: string): string | null {
  const match = /^bearer (\S+)$/i.exec(authorization);
  if (match === null || !KEY_TEXT.test(match[1]!)) return null;
  return isSoundText(match[1]!) ? match[1]! : null;
}
