/**
 * Recognises keys and stream tokens. REST and stream hand over the `Authorization` header as it came and
 * get the same verdict; what each does with it (401, close 4001) is theirs. Whether the caller may do
 * what it wants (scope, address, plan) is asked of its entitlements afterwards.
 */

import { KEY_TEXT } from '@tapeloom/protocol/key-text';
import type { Caller } from './caller.ts';
import { isSoundText } from './secret.ts';

const NAME = 'authorization';

/**
 * `missing`: no key was sent. `malformed`: not `Bearer <key>` with a text that could be a key (its checksum
 * counts). `unknown`: well formed, but no key of ours. `expired`, `revoked`: it was one.
 */
export type Authentication =
  | { readonly verdict: 'accepted'; readonly caller: Caller }
  | { readonly verdict: 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked' };

/** What happened to a caller's rights; connections that were opened with them must be told. */
export type RightsChange =
  /** The key was revoked or has expired. */
  | { readonly t: 'key-ended'; readonly keyId: string }
  /** Plan, or suspension: every key of the account has other rights now. */
  | { readonly t: 'account-changed'; readonly accountId: string };

export interface Authenticator {
  /** The verdict on what needs no look-up: a key seen before, or no key at all. Null: look it up. */
  recall(authorization: string | undefined): Authentication | null;
  /** The same of anything, looked up where it must be. */
  authenticate(authorization: string | undefined): Promise<Authentication>;
  /**
   * Whether the key this caller was recognised by would be recognised as exactly this caller now: for who
   * saw the same header on the same connection before, and need not have it digested again.
   */
  isCurrent(caller: Caller): boolean;
  /** Uses the token up. The key's state is judged again. */
  consumeToken(token: string): Promise<Authentication>;
  /** Who holds on to a caller watches its key, at once: listeners hear of all that happens to it. */
  watch(caller: Caller): Disposable;
  /** The rights of a watched key as they are now; null when the key has ended. */
  refresh(keyId: string): Promise<Caller | null>;
  /** Hears of every change to a watched key within a second, of its expiry within two. */
  onRightsChange(listener: (change: RightsChange) => void): Disposable;
}

/**
 * What a request says in `Authorization`; undefined without the header. Node shows the first of several and
 * hides the others, so that two readers of one request could see two callers: of several all are handed
 * over, as HTTP joins them, which is no key.
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

/** Whether a header holds no key at all: nothing, or the word alone. */
export function isWithoutKey(authorization: string): boolean {
  return /^(?:bearer)?[ \t]*$/i.test(authorization);
}

/** The text behind `Bearer ` (the word in any case, one space) if it could be a key, or null. */
export function bearerKey(authorization: string): string | null {
  const match = /^bearer (\S+)$/i.exec(authorization);
  if (match === null || !KEY_TEXT.test(match[1]!)) return null;
  return isSoundText(match[1]!) ? match[1]! : null;
}
