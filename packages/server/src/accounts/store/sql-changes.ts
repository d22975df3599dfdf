/**
 * Reports every change of accounts and keys once: those made here at once, those of other processes when
 * `lookElsewhere` finds their events in the audit log. A database may be restored from a backup, or replaced by a
 * standby without the last moments; its log then reuses reported numbers. So every look verifies the last reported
 * event and those made here since. If one differs, or is missing and not trimmed, all listeners are informed that
 * anything may have changed.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { AccountChange, AuditEvent } from './account-store.ts';
import { REFUSAL_KINDS } from './audit-kinds.ts';
import { auditKeptFrom, readAudit } from './sql-audit.ts';

const EVENTS_PER_READ = 500;

/** Distinguishes two events with the same number. */
interface Told {
  readonly sequence: number;
  readonly at: EpochNs;
  readonly what: string;
}

export class SqlChanges {
  readonly #database: Kysely<AccountSchema>;
  readonly #listeners = new Set<(change: AccountChange) => void>();
  /** Everything up to this event has been reported; null before the first. */
  #last: Told | null;
  /** Events made here with higher numbers; events of other processes may lie between them. */
  readonly #own = new Map<number, Told>();
  /** Two events made here had the same number, so the log was set back between them. */
  #isForked = false;

  constructor(database: Kysely<AccountSchema>, newest: AuditEvent | null) {
    this.#database = database;
    this.#last = newest === null ? null : toldOf(newest);
  }

  listen(listener: (change: AccountChange) => void): Disposable {
    const own = (change: AccountChange) => listener(change);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  /** Reports events just committed here, unless a look elsewhere found them before. */
  madeHere(events: readonly AuditEvent[]): void {
    for (const event of events) {
      if (event.sequence <= this.#toldUpTo) continue;
      const made = toldOf(event);
      const before = this.#own.get(event.sequence);
      if (before !== undefined && before.what !== made.what) this.#isForked = true;
      this.#own.set(event.sequence, made);
      this.#tellOf(event);
    }
  }

  /** No other process has written: the events made here are all there are. */
  nothingElsewhere(): void {
    for (const own of this.#own.values()) if (own.sequence > this.#toldUpTo) this.#last = own;
    this.#own.clear();
  }

  async lookElsewhere(): Promise<void> {
    if ((await this.#isTakenOver()) && !this.#isForked) return;
    await this.#beginAnew();
  }

  /** Reports events of other processes. False if the log is not the one that was reported from. */
  async #isTakenOver(): Promise<boolean> {
    // Events made while the log is read may not be in it yet.
    const made = [...this.#own.values()];
    for (;;) {
      const filter = { after: Math.max(0, this.#toldUpTo - 1), limit: EVENTS_PER_READ };
      const events = await readAudit(this.#database, filter);
      const [first] = events;
      if (this.#last !== null && !(await this.#isThere(this.#last, first))) return false;
      for (const event of events) {
        if (event.sequence <= this.#toldUpTo) continue;
        const own = this.#own.get(event.sequence);
        if (own !== undefined && !(await this.#isThere(own, event))) return false;
        this.#own.delete(event.sequence);
        this.#last = toldOf(event);
        if (own === undefined) this.#tellOf(event);
      }
      if (events.length < EVENTS_PER_READ) break;
    }
    for (const own of made) {
      if (this.#own.get(own.sequence) !== own) continue;
      if (!(await this.#isThere(own, undefined))) return false;
      this.#own.delete(own.sequence);
    }
    return true;
  }

  get #toldUpTo(): number {
    return this.#last?.sequence ?? 0;
  }

  /** Whether a reported event is the one found at its number, or was trimmed because of its age. */
  async #isThere(told: Told, found: AuditEvent | undefined): Promise<boolean> {
    if (found?.sequence === told.sequence) return toldOf(found).what === told.what;
    return told.at < (await auditKeptFrom(this.#database));
  }

  /** Events up to here need no report: listeners read everything again. */
  async #beginAnew(): Promise<void> {
    const [newest] = await readAudit(this.#database, { limit: 1, newestFirst: true });
    this.#last = newest === undefined ? null : toldOf(newest);
    this.#own.clear();
    this.#isForked = false;
    this.#tell({ accountId: null, keyId: null, kind: 'accounts.replaced' });
  }

  /** A refusal changes nothing, so it is not announced. */
  #tellOf({ accountId, keyId, kind }: AuditEvent): void {
    if (REFUSAL_KINDS.some((refusal) => refusal === kind)) return;
    this.#tell({ accountId, keyId, kind });
  }

  #tell(change: AccountChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // The change is committed: a listener's error must not make its call look failed.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function toldOf({ sequence, at, kind, accountId, keyId }: AuditEvent): Told {
  return { sequence, at, what: `${at} ${kind} ${accountId} ${keyId ?? ''}` };
}
