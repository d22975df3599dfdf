/**
 * For tests about other things than accounts: a key that is always valid with the rights of `live_history`, and one
 * with those of `history`. Every authentication is an account of its own, so tests do not share limits.
 */

import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import {
  type Authentication,
  type Authenticator,
  bearerKey,
} from '../../src/accounts/auth/authenticator.ts';
import type { Caller } from '../../src/accounts/auth/caller.ts';
import { newKeyText } from '../../src/accounts/auth/secret.ts';

export const KEY = newKeyText('live', (size) => new Uint8Array(size).fill(7));
export const DELAYED_KEY = newKeyText('live', (size) => new Uint8Array(size).fill(8));

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };

export class FixedAuthenticator implements Authenticator {
  readonly #entitlements: ReadonlyMap<string, Entitlements> = new Map([
    [KEY, entitlementsOf('live_history')],
    [DELAYED_KEY, entitlementsOf('history')],
  ]);
  #callers = 0;

  recall(authorization: string | undefined): Authentication {
    return this.#judge(authorization);
  }

  authenticate(authorization: string | undefined): Promise<Authentication> {
    return Promise.resolve(this.#judge(authorization));
  }

  isCurrent(): boolean {
    return false;
  }

  consumeToken(): Promise<Authentication> {
    return Promise.resolve({ verdict: 'unknown' });
  }

  watch(): Disposable {
    return NOTHING;
  }

  refresh(): Promise<Caller | null> {
    return Promise.resolve(null);
  }

  onRightsChange(): Disposable {
    return NOTHING;
  }

  #judge(authorization: string | undefined): Authentication {
    if (authorization === undefined) return { verdict: 'missing' };
    const key = bearerKey(authorization);
    const entitlements = this.#entitlements.get(key ?? '');
    if (entitlements === undefined) return { verdict: key === null ? 'malformed' : 'unknown' };
    this.#callers += 1;
    const caller: Caller = {
      accountId: `account ${this.#callers}`,
      keyId: `key ${this.#callers}`,
      isSuspended: false,
      entitlements,
    };
    return { verdict: 'accepted', caller };
  }
}

function entitlementsOf(plan: Plan): Entitlements {
  const rights = { instruments: null, allowedIps: null, expiresAt: null } as const;
  return Entitlements.of({ environment: 'live', scopes: SCOPES, ...rights }, plan);
}
