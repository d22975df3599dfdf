/** What the parts of the SQL store share: transactions that tell what they did, and new ids. */

import type { Writing } from './sql-audit.ts';
import type { Sql } from './sql-database.ts';

export interface SqlStore {
  read<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** What it told the audit log is announced once it is committed. */
  write<Result>(work: (writing: Writing) => Promise<Result>): Promise<Result>;
  /** `<kind>_` and 80 random bits. */
  newId(kind: string): string;
}
