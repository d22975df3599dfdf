/**
 * What a migration is made of. A migration that has been released is never edited: the next change of
 * the schema is the next number.
 */

import type { ColumnDataType, ColumnDefinitionBuilder, Kysely } from 'kysely';

/** What SQLite and PostgreSQL say differently when tables are made. */
export interface SchemaDialect {
  /** The type of a column whose rows are numbered 1, 2, 3 … and which never uses a number again. */
  readonly sequenceType: ColumnDataType;
  readonly sequence: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Makes the database itself refuse to change or remove rows of a table. */
  forbidChanges(database: Kysely<unknown>, table: string): Promise<void>;
  /** Makes the database itself refuse one change of a table's rows. */
  refuse(database: Kysely<unknown>, refusal: Refusal): Promise<void>;
  dropTrigger(database: Kysely<unknown>, table: string, name: string): Promise<void>;
}

export interface Refusal {
  readonly name: string;
  readonly table: string;
  /** `delete`, `update`, or `update of` some columns. */
  readonly change: string;
  /** Only for such rows, `old` and `new`; left out: for all. */
  readonly when?: string;
  /** What is said to who tries. */
  readonly why: string;
}

export interface Migration {
  /** 1, 2, 3 … */
  readonly version: number;
  /** Runs inside a transaction of its own. */
  up(database: Kysely<unknown>, dialect: SchemaDialect): Promise<void>;
}
