/** The parts of a migration. A released migration is never edited: the next change of the schema is the next number. */

import type { ColumnDataType, ColumnDefinitionBuilder, Kysely } from 'kysely';

/** The schema statements in which SQLite and PostgreSQL differ. */
export interface SchemaDialect {
  /** The type of a column that numbers its rows 1, 2, 3 … and never reuses a number. */
  readonly sequenceType: ColumnDataType;
  readonly sequence: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Makes the database reject every change and removal of a table's rows. */
  forbidChanges(database: Kysely<unknown>, table: string): Promise<void>;
  /** Makes the database reject one kind of change of a table's rows. */
  refuse(database: Kysely<unknown>, refusal: Refusal): Promise<void>;
  dropTrigger(database: Kysely<unknown>, table: string, name: string): Promise<void>;
}

export interface Refusal {
  readonly name: string;
  readonly table: string;
  /** `delete`, `update`, or `update of` some columns. */
  readonly change: string;
  /** An SQL condition on `old` and `new`; without it, all rows. */
  readonly when?: string;
  /** The message of the error. */
  readonly why: string;
}

export interface Migration {
  readonly version: number;
  /** Runs in its own transaction. */
  up(database: Kysely<unknown>, dialect: SchemaDialect): Promise<void>;
}
