/**
 * Tells listeners of every change of accounts and keys: those made here at once, those that others made
 * in the same database when `lookElsewhere` finds their events in the audit log. Each is told once.
 *
 * A database may be put back to an older copy, or be a standby that lacks the last moments, while it is in use here; its log then
 * goes on with numbers that were told already, of other events. So the last one that was told is looked at with every look: where it is
 * another one, or is gone and not by age, everybody is told that anything may be otherwise.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import { type AccountChange, type AuditEvent, REFUSAL_KINDS } from './account-store.ts';
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
      this.#own.set(event.sequence, toldOf(event));
      this.#tellOf(event);
    }
  }

  /** Nobody else has written: the events made here are all there are. */
  nothingElsewhere(): void {
    for (const own of this.#own.values()) if (own.sequence > this.#toldUpTo) this.#last = own;
    this.#own.clear();
  }

  async lookElsewhere(): Promise<void> {
    for (;;) {
      const filter = { after: Math.max(0, this.#toldUpTo - 1), limit: EVENTS_PER_READ };
      const events = await readAudit(this.#database, filter);
      if (!(await this.#isContinued(events[0]))) {
        await this.#beginAnew();
        return;
      }
      for (const event of events) {
        if (event.sequence <= this.#toldUpTo) continue;
        const own = this.#own.get(event.sequence);
        this.#own.delete(event.sequence);
        this.#last = toldOf(event);
        if (own === undefined || own.what !== this.#last.what) this.#tellOf(event);
      }
      if (events.length < EVENTS_PER_READ) return;
    }
  }

  get #toldUpTo(): number {
    return this.#last?.sequence ?? 0;
  }

  /** Whether the last event that was told is the first of these, or was removed because it is old. */
  async #isContinued(first: AuditEvent | undefined): Promise<boolean> {
    const last = this.#last;
    if (last === null) return true;
    if (first?.sequence === last.sequence) return toldOf(first).what === last.what;
    return last.at < (await auditKeptFrom(this.#database));
  }

  /** What has come by then is part of what anybody finds who looks again. */
  async #beginAnew(): Promise<void> {
    const [newest] = await readAudit(this.#database, { limit: 1, newestFirst: true });
    this.#last = newest === undefined ? null : toldOf(newest);
    this.#own.clear();
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
