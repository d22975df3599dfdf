/**
 * The authenticator that endpoints use: it counts authentications by verdict for `/metrics`. While the accounts are
 * unreliable it recognises no key, not even a cached one, since a revocation could go unnoticed. Open connections stay.
 */

import type { Authentication, Authenticator, RightsChange } from './authenticator.ts';
import type { Caller } from './caller.ts';

export class CountedAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  #refusal: Error | null = null;
  readonly #verdicts: Record<Authentication['verdict'], number> = {
    accepted: 0,
    missing: 0,
    malformed: 0,
    unknown: 0,
    expired: 0,
    revoked: 0,
  };

  constructor(inner: Authenticator) {
    this.#inner = inner;
  }

  get verdicts(): Readonly<Record<string, number>> {
    return this.#verdicts;
  }

  /** Makes every authentication reject with this error; null: they are judged again. */
  refuseAll(cause: Error | null): void {
    this.#refusal = cause;
  }

  recall(authorization: string | undefined): Authentication | null {
    if (this.#refusal !== null) throw this.#refusal;
    const known = this.#inner.recall(authorization);
    return known === null ? null : this.#count(known);
  }

  async authenticate(authorization: string | undefined): Promise<Authentication> {
    if (this.#refusal !== null) throw this.#refusal;
    return this.#count(await this.#inner.authenticate(authorization));
  }

  isCurrent(caller: Caller): boolean {
    if (this.#refusal !== null || !this.#inner.isCurrent(caller)) return false;
    this.#verdicts.accepted += 1;
    return true;
  }

  async consumeToken(token: string): Promise<Authentication> {
    if (this.#refusal !== null) throw this.#refusal;
    return this.#count(await this.#inner.consumeToken(token));
  }

  watch(caller: Caller): Disposable {
    return this.#inner.watch(caller);
  }

  refresh(keyId: string): Promise<Caller | null> {
    return this.#inner.refresh(keyId);
  }

  onRightsChange(listener: (change: RightsChange) => void): Disposable {
    return this.#inner.onRightsChange(listener);
  }

  #count(result: Authentication): Authentication {
    this.#verdicts[result.verdict] += 1;
    return result;
  }
}
