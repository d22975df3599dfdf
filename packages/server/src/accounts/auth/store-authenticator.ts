/**
 * Recognises keys and tokens by the account store's records. Known keys are judged from memory. A record is dropped as
 * soon as the store reports a change to its account; expiry is judged by the clock at every call. Texts that are no key
 * of ours are not cached, so guesses cannot fill the memory. Secrets are never compared: a text is digested first,
 * records are found by a part of the digest, and whole digests are compared in constant time.
 */

import { hash } from 'node:crypto';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import { type Plan, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { TOKEN_TEXT } from '@tapeloom/protocol/key-text';
import type { Clock } from '../../platform/clock.ts';
import type { KeyRecord, KeyWithAccount } from '../keys/keys-store.ts';
import type { AccountChange, AccountStore } from '../store/account-store.ts';
import { type AuditKind, REFUSAL_KINDS } from '../store/audit-kinds.ts';
import {
  type Authentication,
  type Authenticator,
  bearerKey,
  isWithoutKey,
  type RightsChange,
} from './authenticator.ts';
import type { Caller } from './caller.ts';
import { type Reading, type RememberedKey, RememberedKeys } from './remembered-keys.ts';
import { isSoundText } from './secret.ts';
import { WatchedKeys } from './watched-keys.ts';

const VALID_KEYS_REMEMBERED_MAX = 10_000;
const ENDED_KEYS_REMEMBERED_MAX = 1_000;
/** How often a look-up is repeated because its account changed meanwhile. */
const LOOK_UPS_MAX = 5;

/** Changes that alter nobody's rights. */
const KINDS_WITHOUT_EFFECT: readonly AuditKind[] = [
  'account.created',
  'account.email-changed',
  'account.deletion-asked',
  'account.deletion-withdrawn',
  'session.begun',
  'order.placed',
  'order.cancel-asked',
  'order.refund-asked',
  'key.created',
  ...REFUSAL_KINDS,
];

export interface StoreAuthenticatorOptions {
  readonly store: Pick<AccountStore, 'findKey' | 'findKeyById' | 'consumeToken' | 'onChange'>;
  /** The accounts' clock: real time, whatever the speed of the service's. */
  readonly clock: Clock;
  /** Reports a read that failed and is retried. */
  readonly onFault: (error: unknown) => void;
  readonly validKeysRememberedMax?: number;
  readonly endedKeysRememberedMax?: number;
}

export class StoreAuthenticator implements Authenticator, Disposable {
  readonly #options: StoreAuthenticatorOptions;
  readonly #remembered: RememberedKeys;
  readonly #lookingUp = new Map<string, Promise<RememberedKey | null>>();
  readonly #listeners = new Set<(change: RightsChange) => void>();
  readonly #watched: WatchedKeys;
  readonly #listening: Disposable;
  /** The record behind each caller, and when time alone will change its rights; null: never. */
  readonly #made = new WeakMap<
    Caller,
    { readonly reading: Reading; readonly until: EpochNs | null }
  >();
  #changes = 0;

  constructor(options: StoreAuthenticatorOptions) {
    this.#options = options;
    this.#remembered = new RememberedKeys({
      validMax: options.validKeysRememberedMax ?? VALID_KEYS_REMEMBERED_MAX,
      endedMax: options.endedKeysRememberedMax ?? ENDED_KEYS_REMEMBERED_MAX,
      hasEnded: ({ reading }) => !this.#isValid(reading.found.key),
    });
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

  get size(): number {
    return this.#remembered.size;
  }

  /** Keys that are watched, for example by open connections. */
  get watchedCount(): number {
    return this.#watched.size;
  }

  recall(authorization: string | undefined): Authentication | null {
    const read = readKey(authorization);
    if (read.t === 'none') return { verdict: read.verdict };
    const known = this.#recall(read.digest);
    return known === null ? null : this.#judge(known);
  }

  async authenticate(authorization: string | undefined): Promise<Authentication> {
    const read = readKey(authorization);
    if (read.t === 'none') return { verdict: read.verdict };
    const known = this.#recall(read.digest) ?? (await this.#lookUp(read.digest));
    return known === null ? { verdict: 'unknown' } : this.#judge(known);
  }

  isCurrent(caller: Caller): boolean {
    const made = this.#made.get(caller);
    if (made === undefined || made.reading.changes !== this.#changes) return false;
    return made.until === null || this.#options.clock.now() < made.until;
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
    const reading = this.#made.get(caller)?.reading;
    if (reading === undefined) throw new TypeError('only callers made here can be watched');
    return this.#watched.add(reading.found, reading.changes === this.#changes);
  }

  async refresh(keyId: string): Promise<Caller | null> {
    const found = await this.#watched.current(keyId);
    if (found === null) return null;
    const now = this.#options.clock.now();
    const plan = planAt(found.account.grants, now);
    return this.#callerOf({ found, changes: this.#changes }, plan, now);
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

  #judge(known: RememberedKey): Authentication {
    const { key, account } = known.reading.found;
    const now = this.#options.clock.now();
    const state = keyStateAt(key, now);
    if (state === 'revoked' || state === 'expired') return { verdict: state };
    const plan = planAt(account.grants, now);
    if (known.caller?.entitlements.plan !== plan) {
      known.caller = this.#callerOf(known.reading, plan, now);
    }
    return { verdict: 'accepted', caller: known.caller! };
  }

  #callerOf(reading: Reading, plan: Plan, now: EpochNs): Caller {
    const { key, account } = reading.found;
    const caller: Caller = {
      accountId: account.id,
      keyId: key.id,
      isSuspended: account.suspendedAt !== null,
      entitlements: Entitlements.of(key, plan),
    };
    this.#made.set(caller, { reading, until: nextEnd(reading.found, now) });
    return caller;
  }

  #isValid(key: KeyRecord): boolean {
    const state = keyStateAt(key, this.#options.clock.now());
    return state === 'active' || state === 'expiring';
  }

  #recall(digest: Buffer): RememberedKey | null {
    const known = this.#remembered.recall(digest);
    // A change to its account would have removed the record, so it is current.
    if (known !== null) known.reading.changes = this.#changes;
    return known;
  }

  /** Concurrent look-ups of one key share one read. */
  #lookUp(digest: Buffer): Promise<RememberedKey | null> {
    const hexDigest = digest.toString('hex');
    let looking = this.#lookingUp.get(hexDigest);
    if (looking === undefined) {
      looking = this.#read(digest, hexDigest).finally(() => this.#lookingUp.delete(hexDigest));
      this.#lookingUp.set(hexDigest, looking);
    }
    return looking;
  }

  /** A record read while a change arrived may be stale already, so it is read again. */
  async #read(digest: Buffer, hexDigest: string): Promise<RememberedKey | null> {
    for (let round = 1; ; round += 1) {
      const changes = this.#changes;
      const found = await this.#options.store.findKey(hexDigest);
      if (found === null) return null;
      const known = { digest, reading: { found, changes }, caller: null };
      if (changes === this.#changes) this.#remembered.remember(known);
      else if (round < LOOK_UPS_MAX) continue;
      return known;
    }
  }

  #changed(change: AccountChange): void {
    const { accountId, kind } = change;
    if (kind !== 'accounts.replaced' && KINDS_WITHOUT_EFFECT.includes(kind)) return;
    this.#changes += 1;
    if (accountId === null) this.#remembered.clear();
    else this.#remembered.forgetAccount(accountId);
    this.#watched.changed(change);
  }
}

/** The next end of the key or of one of its account's grants. */
function nextEnd({ key, account }: KeyWithAccount, now: EpochNs): EpochNs | null {
  let next = key.expiresAt;
  for (const { until } of account.grants) {
    if (until !== null && until > now && (next === null || until < next)) next = until;
  }
  return next;
}

/** The digest of the key that was sent, or the verdict when there is none. */
function readKey(
  authorization: string | undefined,
):
  | { readonly t: 'digest'; readonly digest: Buffer }
  | { readonly t: 'none'; readonly verdict: 'missing' | 'malformed' } {
  if (authorization === undefined || isWithoutKey(authorization)) {
    return { t: 'none', verdict: 'missing' };
  }
  const key = bearerKey(authorization);
  if (key === null) return { t: 'none', verdict: 'malformed' };
  return { t: 'digest', digest: digestBytes(key) };
}

function digestBytes(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
