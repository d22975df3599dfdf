/** What the account store needs of a database beside SQL that all of them speak. */

import type { Kysely, Transaction } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { SchemaDialect } from './migrations/migration.ts';

export interface SqlDatabase extends AsyncDisposable {
  readonly kysely: Kysely<AccountSchema>;
  readonly schema: SchemaDialect;
  /** Whether anybody else has written since this was last asked. May err towards true. */
  wasWrittenElsewhere(): boolean;
}

/** Statements of one method of the store, all of them or none. */
export type Sql = Transaction<AccountSchema>;
