/** What the account store needs of a database beside SQL that all of them speak. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { DeleteResult, Kysely, Transaction } from 'kysely';
import type { RequestCount, Reservation, ReserveRequest } from '../usage/usage-store.ts';
import type { AccountSchema } from './account-schema.ts';
import type { AccountStore, AccountsTroubleError } from './account-store.ts';
import type { SchemaDialect } from './migrations/migration.ts';

/** What others did since it was last asked; `unknown`: it was not looked at now. May err towards `written`. */
export type Elsewhere = 'written' | 'nothing' | 'unknown';

export interface SqlDatabase extends AsyncDisposable {
  readonly kysely: Kysely<AccountSchema>;
  readonly schema: SchemaDialect;
  readonly routines: SqlRoutines;
  /** Brings the schema up to date. */
  migrate(): Promise<void>;
  /** One statement that only reads. */
  asking<Result>(work: (database: Kysely<AccountSchema>) => Promise<Result>): Promise<Result>;
  /** One transaction that only reads, all of it at one moment. */
  reading<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /**
   * One transaction. `work` may be done again when others stood in its way: only what it did last counts. When it
   * rejects nothing happened, unless the trouble is that nobody can tell.
   */
  writing<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Of all who have this database open, one at a time does such work; others leave it be. */
  whileAlone(work: () => Promise<void>): Promise<void>;
  /** Throws its trouble. */
  elsewhere(): Elsewhere;
  /** Calls when others have written, where the database tells that by itself. */
  onNews(look: () => void): void;
  /** Looks through what is stored, as far as that is quick. Throws when it is damaged. */
  check(): void | Promise<void>;
  /** Throws when something of the newest schema is missing. */
  checkSchema(): Promise<void>;
  /** Writes, though it changes nothing, and checks. Rejects when that cannot be done. */
  probe(): Promise<void>;
  /** What a failure says about the database; null when it says nothing about it. */
  troubleOf(error: unknown): AccountsTroubleError | null;
}

export type Settlement = Parameters<AccountStore['settle']>[2];

/** What is done for every page, replay and minute; each is a transaction, and where it can be one call. */
export interface SqlRoutines {
  /**
   * One that need not be synced is not on disk when it resolves; it is never lost without all that was committed after
   * it, so nothing that was synced later misses it.
   */
  reserve(now: EpochNs, request: ReserveRequest): Promise<Reservation>;
  settle(now: EpochNs, id: string, settlement: Settlement): Promise<boolean>;
  /** The same as a part of a transaction. */
  settleWithin(sql: Sql, now: EpochNs, id: string, settlement: Settlement): Promise<boolean>;
  voidReservation(id: string): Promise<boolean>;
  addUsage(counts: readonly RequestCount[]): Promise<void>;
  touchKeys(lastUsed: ReadonlyMap<string, EpochNs>): Promise<void>;
}

/** Statements of one method of the store, all of them or none. */
export type Sql = Transaction<AccountSchema>;

/** How many rows a statement has removed. */
export function removed(results: readonly DeleteResult[]): number {
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}
