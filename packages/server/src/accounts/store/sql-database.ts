/** What the account store needs of a database beyond common SQL. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { DeleteResult, Kysely, Transaction } from 'kysely';
import type { RequestCount, Reservation, ReserveRequest } from '../usage/usage-store.ts';
import type { AccountSchema } from './account-schema.ts';
import type { AccountStore, AccountsTroubleError } from './account-store.ts';
import type { SchemaDialect } from './migrations/migration.ts';

/** Writes of other processes since the last call; `unknown`: not checked now. May err towards `written`. */
export type Elsewhere = 'written' | 'nothing' | 'unknown';

export interface SqlDatabase extends AsyncDisposable {
  readonly kysely: Kysely<AccountSchema>;
  readonly schema: SchemaDialect;
  readonly routines: SqlRoutines;
  /** Upgrades the schema. */
  migrate(): Promise<void>;
  /** One read-only statement. */
  asking<Result>(work: (database: Kysely<AccountSchema>) => Promise<Result>): Promise<Result>;
  /** One read-only transaction that sees one moment. */
  reading<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /**
   * One transaction. `work` may run again after a conflict; only its last run counts. If this rejects, nothing
   * happened, unless the trouble is `unreachable`: then the outcome is unknown.
   */
  writing<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Runs such work on one process at a time; the others skip it. */
  whileAlone(work: () => Promise<void>): Promise<void>;
  /** Throws an `AccountsTroubleError` if the database is unusable. */
  elsewhere(): Elsewhere;
  /** Calls `look` when others have written, if the database sends notifications. */
  onNews(look: () => void): void;
  /** Checks the stored data, as far as that is quick. Throws when it is damaged. */
  check(): void | Promise<void>;
  /** Throws when a part of the newest schema is missing. */
  checkSchema(): Promise<void>;
  /** Writes without changing anything, and checks. Rejects when either fails. */
  probe(): Promise<void>;
  /** What a failure means for the database; null when it means nothing. */
  troubleOf(error: unknown): AccountsTroubleError | null;
}

export type Settlement = Parameters<AccountStore['settle']>[2];

/** The work of every page, replay and minute: each is one transaction and, where possible, one call. */
export interface SqlRoutines {
  /** A crash loses an unsynced reservation only with all commits after it, so later synced work never misses it. */
  reserve(now: EpochNs, request: ReserveRequest): Promise<Reservation>;
  settle(now: EpochNs, id: string, settlement: Settlement): Promise<boolean>;
  /** The same as part of a transaction. */
  settleWithin(sql: Sql, now: EpochNs, id: string, settlement: Settlement): Promise<boolean>;
  voidReservation(id: string): Promise<boolean>;
  addUsage(counts: readonly RequestCount[]): Promise<void>;
  touchKeys(lastUsed: ReadonlyMap<string, EpochNs>): Promise<void>;
}

/** The statements of one store method, all or none. */
export type Sql = Transaction<AccountSchema>;

/** How many rows the statements removed. */
export function removed(results: readonly DeleteResult[]): number {
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}
