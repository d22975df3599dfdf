/** What the account store needs of a database beside SQL that all of them speak. */

import type { DeleteResult, Kysely, Transaction } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { AccountsTroubleError } from './account-store.ts';
import type { SchemaDialect } from './migrations/migration.ts';

export interface SqlDatabase extends AsyncDisposable {
  readonly kysely: Kysely<AccountSchema>;
  readonly schema: SchemaDialect;
  /**
   * One transaction whose loss harms nobody: it is not on disk when it resolves, and it is never lost without all that was
   * committed after it, so nothing that was synced later misses it.
   */
  unsynced<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Whether anybody else has written since this was last asked. May err towards true. Throws its trouble. */
  wasWrittenElsewhere(): boolean;
  /** Looks through what is stored, as far as that is quick. Throws when it is damaged. */
  check(): void;
  /** Throws when something of the newest schema is missing. */
  checkSchema(): Promise<void>;
  /** Writes, and changes nothing. Throws when that cannot be done. */
  write(): void;
  /** What a failure says about the database; null when it says nothing about it. */
  troubleOf(error: unknown): AccountsTroubleError | null;
}

/** Statements of one method of the store, all of them or none. */
export type Sql = Transaction<AccountSchema>;

/** How many rows a statement has removed. */
export function removed(results: readonly DeleteResult[]): number {
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}
