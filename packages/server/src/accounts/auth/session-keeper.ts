/**
 * Recognises sessions by the store's records. A session read less than a second ago is judged from memory. The cached
 * record is dropped as soon as the store reports a change of the session or its account. Expiry is judged by the clock
 * at every call. Texts that are no session are not cached.
 */

import { hash } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';
import type { SessionRecord } from '../people/people-store.ts';
import type { AccountChange, AccountStore } from '../store/account-store.ts';
import type { AuditKind } from '../store/audit-kinds.ts';
import { latest } from '../store/sound-times.ts';
import { isSoundSession } from './secret.ts';

const REMEMBERED_NS = SECOND_NS_BIG;
const REMEMBERED_MAX = 10_000;
/** The time of a session's last use is stored to the minute. */
const TOUCH_EVERY_NS = MINUTE_NS_BIG;

/** Changes that end a session or change its rights. */
const KINDS_WITH_EFFECT: readonly AuditKind[] = [
  'session.ended',
  'account.owned',
  'account.email-changed',
  'account.deleted',
  'account.suspended',
  'account.resumed',
];

/** The signed-in person, as a route sees it. */
export type Session = Pick<
  SessionRecord,
  'id' | 'accountId' | 'email' | 'isSuspended' | 'createdAt' | 'expiresAt'
>;

/** `missing`: no cookie. `malformed`: no text of ours. `unknown`: no such session, or it has ended. */
export type SessionVerdict =
  | { readonly verdict: 'accepted'; readonly session: Session }
  | { readonly verdict: 'missing' | 'malformed' | 'unknown' | 'expired' };

interface Remembered {
  readonly session: SessionRecord;
  readonly readAt: EpochNs;
}

export interface SessionKeeperOptions {
  readonly store: Pick<AccountStore, 'people' | 'onChange'>;
  /** The accounts' clock. */
  readonly clock: Pick<Clock, 'now'>;
  /** Reports that the time of last use could not be stored. */
  readonly onFault: (error: unknown) => void;
}

export class SessionKeeper implements Disposable {
  readonly #options: SessionKeeperOptions;
  readonly #listening: Disposable;
  /** By digest; the record read longest ago is first. */
  readonly #remembered = new Map<string, Remembered>();
  #changes = 0;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
    this.#listening = options.store.onChange((change) => this.#changed(change));
  }

  get size(): number {
    return this.#remembered.size;
  }

  /** The verdict if it needs no look-up; null: look it up. */
  recall(text: string | undefined): SessionVerdict | null {
    if (text === undefined) return { verdict: 'missing' };
    if (!isSoundSession(text)) return { verdict: 'malformed' };
    const known = this.#remembered.get(hash('sha256', text));
    if (known === undefined) return null;
    const now = this.#options.clock.now();
    return now - known.readAt < REMEMBERED_NS ? judge(known.session, now) : null;
  }

  async find(text: string): Promise<SessionVerdict> {
    if (!isSoundSession(text)) return { verdict: 'malformed' };
    const digest = hash('sha256', text);
    const changes = this.#changes;
    const { store, clock } = this.#options;
    const session = await store.people.findSession(digest);
    if (session === null) return { verdict: 'unknown' };
    const now = clock.now();
    // A record read while a change arrived may be stale already.
    if (changes === this.#changes) this.#remember(digest, { session, readAt: now });
    const verdict = judge(session, now);
    if (verdict.verdict === 'accepted') this.#touch(session, now);
    return verdict;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#remembered.clear();
  }

  #touch({ accountId, id, lastUsedAt }: SessionRecord, now: EpochNs): void {
    if (now - lastUsedAt < TOUCH_EVERY_NS) return;
    const { store, onFault } = this.#options;
    store.people.touchSession(accountId, id, now).catch(onFault);
  }

  #remember(digest: string, read: Remembered): void {
    this.#remembered.delete(digest);
    this.#remembered.set(digest, read);
    for (const [oldest, { readAt }] of this.#remembered) {
      const isOld = read.readAt - readAt >= REMEMBERED_NS;
      if (!isOld && this.#remembered.size <= REMEMBERED_MAX) return;
      this.#remembered.delete(oldest);
    }
  }

  #changed({ kind, accountId }: AccountChange): void {
    if (kind !== 'accounts.replaced' && !KINDS_WITH_EFFECT.includes(kind)) return;
    this.#changes += 1;
    for (const [digest, { session }] of this.#remembered) {
      if (accountId === null || session.accountId === accountId) this.#remembered.delete(digest);
    }
  }
}

function judge(session: SessionRecord, now: EpochNs): SessionVerdict {
  if (now >= session.expiresAt || session.createdAt > latest(now)) return { verdict: 'expired' };
  const { id, accountId, email, isSuspended, createdAt, expiresAt } = session;
  return {
    verdict: 'accepted',
    session: { id, accountId, email, isSuspended, createdAt, expiresAt },
  };
}
