/**
 * Recognises keys and tokens by what the account store holds. A key seen before is judged from memory:
 * its record is dropped the moment the store tells of a change to its account, so what is remembered is
 * never older than that, and time is judged by the clock at every call. Of texts that are no key of ours
 * nothing is remembered, so nobody can fill the memory with guesses.
 *
 * Nobody compares secrets: a text is digested first, records are found by a part of the digest, and
 * digests are compared whole, in constant time.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import { type Plan, planAt } from '@tapeloom/core/entitlement/plan';
import { TOKEN_TEXT } from '@tapeloom/protocol/key-text';
import type { Clock } from '../platform/clock.ts';
import {
  type AccountChange,
  type AccountStore,
  type AuditKind,
  type KeyWithAccount,
  REFUSAL_KINDS,
} from './account-store.ts';
import {
  type Authentication,
  type Authenticator,
  bearerKey,
  isWithoutKey,
  type RightsChange,
} from './authenticator.ts';
import type { Caller } from './caller.ts';
import { isSoundText } from './secret.ts';
import { WatchedKeys } from './watched-keys.ts';

/** Keys remembered; beyond, the one unused for longest is forgotten. */
const KEYS_REMEMBERED_MAX = 10_000;
/** How often a look-up is done again because its account changed meanwhile. */
const LOOK_UPS_MAX = 5;
/** Enough of a digest, in hexadecimal, to find its record by. */
const PLACE_CHARACTERS = 32;

/** After these nobody has other rights than before. */
const KINDS_WITHOUT_EFFECT: readonly AuditKind[] = [
  'account.created',
  'key.created',
  ...REFUSAL_KINDS,
];

/** What was read of a key, and how many changes there had been when it was known to be right. */
interface Reading {
  readonly found: KeyWithAccount;
  changes: number;
}

interface Remembered {
  readonly digest: Buffer;
  readonly reading: Reading;
  /** Made anew when the account's plan is another. */
  caller: Caller | null;
}

export interface StoreAuthenticatorOptions {
  readonly store: Pick<AccountStore, 'findKey' | 'findKeyById' | 'consumeToken' | 'onChange'>;
  /** The accounts' time: real time, whatever the speed of the service's. */
  readonly clock: Clock;
  /** Reports a read that failed and is tried again. */
  readonly onFault: (error: unknown) => void;
  readonly keysRememberedMax?: number;
}

export class StoreAuthenticator implements Authenticator, Disposable {
  readonly #options: StoreAuthenticatorOptions;
  /** By the place of the digest; the one used last stands last. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #lookingUp = new Map<string, Promise<Remembered | null>>();
  readonly #listeners = new Set<(change: RightsChange) => void>();
  readonly #watched: WatchedKeys;
  readonly #listening: Disposable;
  /** What each caller was made of. */
  readonly #readings = new WeakMap<Caller, Reading>();
  #changes = 0;

  constructor(options: StoreAuthenticatorOptions) {
    this.#options = options;
    this.#watched = new WatchedKeys({
      store: options.store,
      clock: options.clock,
      announce: (change) => {
        for (const listener of [...this.#listeners]) listener(change);
      },
      onFault: options.onFault,
    });
    this.#listening = options.store.onChange((change) => this.#changed(change));
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#remembered.size;
  }

  async authenticate(authorization: string | undefined): Promise<Authentication> {
    if (authorization === undefined || isWithoutKey(authorization)) return { verdict: 'missing' };
    const key = bearerKey(authorization);
    if (key === null) return { verdict: 'malformed' };
    const digest = digestBytes(key);
    const known = this.#recall(digest) ?? (await this.#lookUp(digest));
    return known === null ? { verdict: 'unknown' } : this.#judge(known);
  }

  isCurrent(caller: Caller): boolean {
    const reading = this.#readings.get(caller);
    if (reading === undefined || reading.changes !== this.#changes) return false;
    const { key, account } = reading.found;
    const now = this.#options.clock.now();
    const state = keyStateAt(key, now);
    const isValid = state === 'active' || state === 'expiring';
    return isValid && planAt(account.grants, now) === caller.entitlements.plan;
  }

  async consumeToken(token: string): Promise<Authentication> {
    if (!TOKEN_TEXT.test(token) || !isSoundText(token)) return { verdict: 'malformed' };
    const digest = digestBytes(token);
    const changes = this.#changes;
    const { store, clock } = this.#options;
    const found = await store.consumeToken(clock.now(), digest.toString('hex'));
    if (found === null) return { verdict: 'unknown' };
    return this.#judge({ digest, reading: { found, changes }, caller: null });
  }

  watch(caller: Caller): Disposable {
    const reading = this.#readings.get(caller);
    if (reading === undefined) throw new TypeError('only callers made here can be watched');
    return this.#watched.add(reading.found, reading.changes === this.#changes);
  }

  async refresh(keyId: string): Promise<Caller | null> {
    const found = await this.#watched.current(keyId);
    if (found === null) return null;
    const plan = planAt(found.account.grants, this.#options.clock.now());
    return this.#callerOf({ found, changes: this.#changes }, plan);
  }

  onRightsChange(listener: (change: RightsChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#watched[Symbol.dispose]();
    this.#remembered.clear();
  }

  #judge(known: Remembered): Authentication {
    const { key, account } = known.reading.found;
    const now = this.#options.clock.now();
    const state = keyStateAt(key, now);
    if (state === 'revoked' || state === 'expired') return { verdict: state };
    const plan = planAt(account.grants, now);
    if (known.caller?.entitlements.plan !== plan) {
      known.caller = this.#callerOf(known.reading, plan);
    }
    return { verdict: 'accepted', caller: known.caller! };
  }

  #callerOf(reading: Reading, plan: Plan): Caller {
    const { key, account } = reading.found;
    const caller: Caller = {
      accountId: account.id,
      keyId: key.id,
      isSuspended: account.suspendedAt !== null,
      entitlements: Entitlements.of(key, plan),
    };
    this.#readings.set(caller, reading);
    return caller;
  }

  #recall(digest: Buffer): Remembered | null {
    const place = placeOf(digest);
    const known = this.#remembered.get(place);
    if (known === undefined || !timingSafeEqual(known.digest, digest)) return null;
    this.#remembered.delete(place);
    this.#remembered.set(place, known);
    // Had its account changed, it would have been forgotten.
    known.reading.changes = this.#changes;
    return known;
  }

  /** Look-ups of one key at a time share one read. */
  #lookUp(digest: Buffer): Promise<Remembered | null> {
    const hexDigest = digest.toString('hex');
    let looking = this.#lookingUp.get(hexDigest);
    if (looking === undefined) {
      looking = this.#read(digest, hexDigest).finally(() => this.#lookingUp.delete(hexDigest));
      this.#lookingUp.set(hexDigest, looking);
    }
    return looking;
  }

  /** What was read while something changed may be old already, and is read again. */
  async #read(digest: Buffer, hexDigest: string): Promise<Remembered | null> {
    for (let round = 1; ; round += 1) {
      const changes = this.#changes;
      const found = await this.#options.store.findKey(hexDigest);
      if (found === null) return null;
      const known = { digest, reading: { found, changes }, caller: null };
      if (changes === this.#changes) this.#remember(known);
      else if (round < LOOK_UPS_MAX) continue;
      return known;
    }
  }

  #remember(known: Remembered): void {
    const { keysRememberedMax = KEYS_REMEMBERED_MAX } = this.#options;
    this.#remembered.set(placeOf(known.digest), known);
    if (this.#remembered.size <= keysRememberedMax) return;
    const [oldest] = this.#remembered.keys();
    this.#remembered.delete(oldest!);
  }

  #changed(change: AccountChange): void {
    if (KINDS_WITHOUT_EFFECT.includes(change.kind)) return;
    this.#changes += 1;
    for (const [place, { reading }] of this.#remembered) {
      if (reading.found.account.id === change.accountId) this.#remembered.delete(place);
    }
    this.#watched.changed(change);
  }
}

function digestBytes(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function placeOf(digest: Buffer): string {
  return digest.toString('hex', 0, PLACE_CHARACTERS / 2);
}
