/**
 * Tells listeners of every change of accounts and keys: those made here at once, those that others made
 * in the same database when `lookElsewhere` finds their events in the audit log. Each is told once.
 *
 * A database may be put back to an older copy, or be a standby that lacks the last moments, while it is in use here; its log then
 * goes on with numbers that were told already, of other events. So the last one that was told, and those made here since, are looked at
 * with every look: where one is another, or is gone and not by age, everybody is told that anything may be otherwise.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { AccountChange, AuditEvent } from './account-store.ts';
import { REFUSAL_KINDS } from './audit-kinds.ts';
import { auditKeptFrom, readAudit } from './sql-audit.ts';

const EVENTS_PER_READ = 500;

/** By which one event is told from another of the same number. */
interface Told {
  readonly sequence: number;
  readonly at: EpochNs;
  readonly what: string;
}

export class SqlChanges {
  readonly #database: Kysely<AccountSchema>;
  readonly #listeners = new Set<(change: AccountChange) => void>();
  /** Everything up to this event has been told; null before the first. */
  #last: Told | null;
  /** What events made here with higher numbers are; between them there may be some of others. */
  readonly #own = new Map<number, Told>();
  /** Two events were made here with one number: between them the log went back. */
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

  /** What was just committed here, unless a look elsewhere came across it before. */
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

  /** Nobody else has written: the events made here are all there are. */
  nothingElsewhere(): void {
    for (const own of this.#own.values()) if (own.sequence > this.#toldUpTo) this.#last = own;
    this.#own.clear();
  }

  async lookElsewhere(): Promise<void> {
    if ((await this.#isTakenOver()) && !this.#isForked) return;
    await this.#beginAnew();
  }

  /** Tells of what others have made. False where the log is not the one that was told of. */
  async #isTakenOver(): Promise<boolean> {
    // What is made while the log is read may not be in it yet.
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

  /** Whether an event that was told is the one that was found at its number, or was removed because it is old. */
  async #isThere(told: Told, found: AuditEvent | undefined): Promise<boolean> {
    if (found?.sequence === told.sequence) return toldOf(found).what === told.what;
    return told.at < (await auditKeptFrom(this.#database));
  }

  /** What has come by then is part of what anybody finds who looks again. */
  async #beginAnew(): Promise<void> {
    const [newest] = await readAudit(this.#database, { limit: 1, newestFirst: true });
    this.#last = newest === undefined ? null : toldOf(newest);
    this.#own.clear();
    this.#isForked = false;
    this.#tell({ accountId: null, keyId: null, kind: 'accounts.replaced' });
  }

  /** A refusal changes nothing, so it is no news here. */
  #tellOf({ accountId, keyId, kind }: AuditEvent): void {
    if (REFUSAL_KINDS.some((refusal) => refusal === kind)) return;
    this.#tell({ accountId, keyId, kind });
  }

  #tell(change: AccountChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // The change is committed: a listener's fault must not make its call look as if it were not.
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
