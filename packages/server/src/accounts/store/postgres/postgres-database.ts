/**
 * PostgreSQL as the account store's database, shared by all nodes. Writes are `read committed`: a method first locks
 * the row that it judges, so later statements see all that is committed. Reads of several statements see one moment.
 * Conflicts are retried. A commit whose connection breaks may have happened, so each transaction has its number and
 * queries its outcome. Nothing runs twice or is wrongly reported as undone. If the server is gone, or a standby took
 * over that may have reused the number, the outcome is reported as unknown.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import {
  openPostgres,
  type Postgres,
  PostgresBrokenError,
  type PostgresConnection,
  type PostgresOptions,
  PostgresUnreachableError,
} from '../../../platform/postgres/postgres.ts';
import { PostgresNews } from '../../../platform/postgres/postgres-news.ts';
import { makeRoutines, postgresRoutines } from '../../usage/postgres-routines.ts';
import type { AccountSchema } from '../account-schema.ts';
import { AccountsTroubleError } from '../account-store.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Elsewhere, Sql, SqlDatabase } from '../sql-database.ts';
import {
  MIGRATION_LOCK,
  makeAuditFeed,
  NEWS_CHANNEL,
  postgresSchema,
  SWEEP_LOCK,
} from './postgres-schema.ts';
import { isPassing, troubleOf } from './postgres-trouble.ts';

/** 14.0, as the server numbers it: the first that replaces triggers. */
const VERSION_MIN = 140_000;
/** How often a method is tried in all while it conflicts with others. */
const TRIES_MAX = 5;
/** How long to query the outcome of a call whose connection broke; a restart takes about a second. */
const OUTCOME_WITHIN_MS = 4_000;
const OUTCOME_ASKED_EVERY_MS = 100;
/** The server's timeline: a standby that takes over begins a new one. A read-only server cannot report it. */
const COURSE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';
const COURSE_UNTOLD = "''";
/** A call of one of our functions, by its name. */
const CALL = /^select (accounts_\w+)\(/;
/** Changes of other nodes must be seen within a second, even if a notification is lost with its connection. */
const LOOK_EVERY_MS = 1_000;

/** Opens connections only when they are first needed. */
export function openPostgresDatabase(options: PostgresOptions): SqlDatabase {
  return new PostgresDatabase(options);
}

class PostgresDatabase implements SqlDatabase {
  readonly kysely: Kysely<AccountSchema>;
  readonly schema = postgresSchema;
  readonly troubleOf = troubleOf;
  readonly routines = postgresRoutines({ writing: (work) => this.writing(work) }, (call) =>
    this.#repeating(call),
  );
  readonly #options: PostgresOptions;
  readonly #postgres: Postgres;
  #news: PostgresNews | null = null;
  #hasNews = true;
  #lookedAtMs = 0;
  /** Stays empty for a PostgreSQL-compatible service without such a function: it is assumed to have one timeline. */
  #course = COURSE_UNTOLD;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#postgres = openPostgres(options);
    this.kysely = kyselyOn(this.#postgres);
  }

  /** One node after the other; a later node finds it done. */
  async migrate(): Promise<void> {
    await using postgres = openPostgres({ ...this.#options, connectionsMax: 1, isUnlimited: true });
    const database = kyselyOn(postgres) as Kysely<unknown>;
    await database.connection().execute(async (held) => {
      await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(held);
      await migrate(held, postgresSchema);
      await held.transaction().execute(async (transaction) => {
        await makeAuditFeed(transaction);
        await makeRoutines(transaction);
      });
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(held);
    });
  }

  asking<Result>(work: (database: Kysely<AccountSchema>) => Promise<Result>): Promise<Result> {
    return again(() => work(this.kysely));
  }

  reading<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const transaction = this.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only');
    return again(() => transaction.execute(work));
  }

  writing<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return again(() => this.#transaction(work));
  }

  async whileAlone(work: () => Promise<void>): Promise<void> {
    await this.kysely.connection().execute(async (held) => {
      const taken = await sql<{ isOurs: boolean }>`
        select pg_try_advisory_lock(${SWEEP_LOCK}) as "isOurs"`.execute(held);
      if (!taken.rows[0]!.isOurs) return;
      try {
        await work();
      } finally {
        // A broken connection has released the lock.
        await sql`select pg_advisory_unlock(${SWEEP_LOCK})`.execute(held).catch(() => {});
      }
    });
  }

  elsewhere(): Elsewhere {
    const now = performance.now();
    if (!this.#hasNews && now - this.#lookedAtMs < LOOK_EVERY_MS) return 'unknown';
    this.#hasNews = false;
    this.#lookedAtMs = now;
    return 'written';
  }

  onNews(look: () => void): void {
    this.#news = new PostgresNews(this.#postgres, NEWS_CHANNEL, () => {
      this.#hasNews = true;
      look();
    });
  }

  /** PostgreSQL checks its data itself; this checks whether the server is suitable. */
  async check(): Promise<void> {
    const { rows } = await sql<{ version: number; commits: string; others: boolean }>`
      select current_setting('server_version_num')::int as version,
        current_setting('synchronous_commit') as commits,
        to_regclass('accounts') is not null and to_regclass('schema_version') is null as others
      `.execute(this.kysely);
    const { version, commits, others } = rows[0]!;
    if (version < VERSION_MIN)
      throw unfit(`it is PostgreSQL ${version}, but 14 or later is required`);
    if (commits === 'off')
      throw unfit('synchronous_commit is off, so commits could be lost; turn it on');
    if (others) throw unfit('it contains a table "accounts" of another program');
    await this.#postgres.query(`select ${COURSE}`).then(
      () => {
        this.#course = COURSE;
      },
      () => {},
    );
  }

  /** Every schema change is a transaction, so the recorded version is reliable. */
  checkSchema(): Promise<void> {
    return Promise.resolve();
  }

  async probe(): Promise<void> {
    await this.check();
    await sql`update schema_version set version = version where version = 1`.execute(this.kysely);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#news?.[Symbol.asyncDispose]();
    await this.kysely.destroy();
  }

  async #transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const { result, begun, fault } = await this.kysely.connection().execute(async (held) => {
      const begun = await begin(held, this.#course);
      const result = await work(held as Sql).catch(async (error: unknown) => {
        await execute(held, 'rollback').catch(() => {});
        throw error;
      });
      const fault = await execute(held, 'commit').then(
        () => null,
        (error: unknown) => error,
      );
      return { result, begun, fault };
    });
    if (fault === null) return result;
    // A commit that the server itself rejected has not happened.
    if (!(fault instanceof PostgresUnreachableError)) throw fault;
    if (await this.#happened(begun, fault)) return result;
    throw new PostgresBrokenError('the connection was lost before the commit', { cause: fault });
  }

  /** Whether the transaction was committed, as soon as the server reports it. */
  async #happened({ number, course }: Begun, fault: PostgresUnreachableError): Promise<boolean> {
    const until = performance.now() + OUTCOME_WITHIN_MS;
    const text = `select pg_xact_status($1::xid8) as status, ${this.#course} as course`;
    while (performance.now() < until) {
      const told = await this.#postgres
        .query<{ readonly status: string | null; readonly course: string }>(
          { text, withinMs: OUTCOME_WITHIN_MS },
          [number],
        )
        .then(
          ([row]) => row!,
          () => null,
        );
      if (told !== null && told.course !== course) break;
      if (told?.status === 'committed') return true;
      if (told?.status === 'aborted') return false;
      await wait(OUTCOME_ASKED_EVERY_MS);
    }
    throw new PostgresUnreachableError('it is unknown whether it was committed', { cause: fault });
  }

  /** Once a call may have run, it is repeated until its outcome is known, for as long as a restart takes. */
  async #repeating<Result>(
    call: (database: Kysely<AccountSchema>, isRepeated: boolean) => Promise<Result>,
  ): Promise<Result> {
    let until: number | null = null;
    for (let tries = 1; ; tries += 1) {
      try {
        return await call(this.kysely, until !== null);
      } catch (error) {
        const isUnreachable = error instanceof PostgresUnreachableError;
        if (isUnreachable ? until === null && !isPassing(error) : !isPassing(error)) throw error;
        if (isUnreachable) until ??= performance.now() + OUTCOME_WITHIN_MS;
        if (until === null ? tries >= TRIES_MAX : performance.now() > until) throw error;
        if (isUnreachable) await wait(OUTCOME_ASKED_EVERY_MS);
      }
    }
  }
}

function kyselyOn(postgres: Postgres): Kysely<AccountSchema> {
  const pool = {
    connect: async () => planningOnce(await postgres.connect()),
    end: () => postgres[Symbol.asyncDispose](),
  };
  return new Kysely<AccountSchema>({
    // Kysely also uses a pool for cursors and cancelling, but not here.
    dialect: new PostgresDialect({ pool: pool as never }),
  });
}

/** Calls of our functions have constant texts, so each is planned once per connection. */
function planningOnce({ query, release }: PostgresConnection): PostgresConnection {
  return {
    release,
    query: (statement, values) => {
      const name = typeof statement === 'string' ? CALL.exec(statement)?.[1] : undefined;
      return query(name === undefined ? statement : { name, text: statement as string }, values);
    },
  };
}

/** A transaction: its number, and the timeline on which the number is valid. */
interface Begun {
  readonly number: string;
  readonly course: string;
}

async function begin(held: Kysely<AccountSchema>, course: string): Promise<Begun> {
  const { rows } = await held.executeQuery<Begun>(
    CompiledQuery.raw(
      `begin isolation level read committed; select pg_current_xact_id()::text as number, ${course} as course`,
    ),
  );
  return rows[0]!;
}

async function execute(held: Kysely<AccountSchema>, statement: 'commit' | 'rollback') {
  const { rows } = await held.executeQuery<{ command: string }>(CompiledQuery.raw(statement));
  if (rows[0]?.command !== statement.toUpperCase()) {
    throw new Error(`${statement} was answered with ${rows[0]?.command}`);
  }
}

async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES_MAX || !isPassing(error)) throw error;
    }
  }
}

function unfit(why: string): AccountsTroubleError {
  return new AccountsTroubleError('failing', `the database of the accounts cannot be used: ${why}`);
}
