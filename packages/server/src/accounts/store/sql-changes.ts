/**
 * Tells listeners of every change of accounts and keys: those made here at once, those that others made
 * in the same database when `lookElsewhere` finds their events in the audit log. Each is told once.
 */

import type { Kysely } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import { type AccountChange, type AuditEvent, REFUSAL_KINDS } from './account-store.ts';
import { readAudit } from './sql-audit.ts';

const EVENTS_PER_READ = 500;

export class SqlChanges {
  readonly #database: Kysely<AccountSchema>;
  readonly #listeners = new Set<(change: AccountChange) => void>();
  /** Everything up to this event has been told. */
  #toldUpTo: number;
  /** Events made here with higher numbers; between them there may be some of others. */
  readonly #own = new Set<number>();

  constructor(database: Kysely<AccountSchema>, newest: number) {
    this.#database = database;
    this.#toldUpTo = newest;
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
      this.#own.add(event.sequence);
      this.#tell(event);
    }
  }

  /** Nobody else has written: the events made here are all there are. */
  nothingElsewhere(): void {
    this.#toldUpTo = Math.max(this.#toldUpTo, ...this.#own);
    this.#own.clear();
  }

  async lookElsewhere(): Promise<void> {
    for (;;) {
      const filter = { after: this.#toldUpTo, limit: EVENTS_PER_READ };
      const events = await readAudit(this.#database, filter);
      for (const event of events) {
        this.#toldUpTo = event.sequence;
        if (!this.#own.delete(event.sequence)) this.#tell(event);
      }
      if (events.length < EVENTS_PER_READ) return;
    }
  }

  /** A refusal changes nothing, so it is no news here. */
  #tell({ accountId, keyId, kind }: AuditEvent): void {
    if (REFUSAL_KINDS.some((refusal) => refusal === kind)) return;
    for (const listener of this.#listeners) {
      try {
        listener({ accountId, keyId, kind });
      } catch (error) {
        // The change is committed: a listener's fault must not make its call look as if it were not.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
