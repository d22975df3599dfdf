/**
 * SQLite as the account store's database: write-ahead log, foreign keys, commits synced unless they need no sync. Only
 * its owner can read the file. Processes wait for each other's writes. A SQLite version with a known fault in its
 * write-ahead log is rejected. A write transaction takes the write lock when it begins: otherwise its reads could be
 * stale when it writes, and waiting would not help. So one thread opens a file only once: a second connection would
 * wait for the first, which could not continue.
 */

import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
  type TransactionSettings,
} from 'kysely';
import { makeDirectoriesSync } from '../../../platform/disk/make-directories.ts';
import { OWNER_ONLY } from '../../../platform/disk/private-file.ts';
import { sqliteRoutines } from '../../usage/sqlite-routines.ts';
import type { AccountSchema } from '../account-schema.ts';
import { migrate } from '../migrations/migrate.ts';
import type { SchemaDialect } from '../migrations/migration.ts';
import type { Elsewhere, Sql, SqlDatabase, SqlRoutines } from '../sql-database.ts';
import { checkTables, damaged, structureOf, troubleOf } from './sqlite-trouble.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** Earlier versions can damage a database when a write-ahead log is reset while others read it. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;
/** The store has about fifty statements; the limit only guards against statements built from data. */
const PREPARED_STATEMENTS_MAX = 256;
const IN_MEMORY = ':memory:';
const VERSION = 'PRAGMA data_version';

const openFiles = new Set<string>();

export class SqliteVersionError extends Error {
  constructor(found: string) {
    super(
      `this Node carries SQLite ${found}, and the accounts need ${SQLITE_VERSION_MIN.join('.')} or ` +
        'later: earlier versions can damage a database in use',
    );
  }
}

export function requireSoundSqlite(version = process.versions.sqlite): void {
  const found = (version ?? '0').split('.').map(Number);
  for (const [place, least] of SQLITE_VERSION_MIN.entries()) {
    const part = found[place] ?? 0;
    if (part > least) return;
    if (part < least) throw new SqliteVersionError(version ?? 'of no version');
  }
}

/** Opens a database file, creating it if missing, or an in-memory database. */
export function openSqliteDatabase(path: string): SqlDatabase {
  requireSoundSqlite();
  const file = path === IN_MEMORY ? null : resolve(path);
  if (file !== null) {
    if (openFiles.has(file)) throw new Error(`this thread has ${file} open already`);
    makePrivate(file);
  }
  const connection = connect(file ?? IN_MEMORY);
  if (file !== null) openFiles.add(file);
  return new SqliteDatabase(connection, file);
}

class SqliteDatabase implements SqlDatabase {
  readonly kysely: Kysely<AccountSchema>;
  readonly schema = sqliteSchema;
  readonly troubleOf = troubleOf;
  readonly routines: SqlRoutines;
  readonly #connection: DatabaseSync;
  #version: StatementSync;
  readonly #file: string | null;
  /** The file's inode, whatever its name. */
  readonly #identity: bigint | null;
  #seen: unknown;

  constructor(connection: DatabaseSync, file: string | null) {
    this.kysely = new Kysely<AccountSchema>({ dialect: new NodeSqliteDialect(connection) });
    this.routines = sqliteRoutines(connection, (work) =>
      this.kysely.connection().execute(async () => work()),
    );
    this.#connection = connection;
    this.#version = connection.prepare(VERSION);
    this.#file = file;
    this.#identity = identityOf(file);
    this.#seen = this.#version.get()!.data_version;
  }

  async migrate(): Promise<void> {
    if (this.#file === null && isEmpty(this.#connection)) {
      this.#connection.deserialize(await newestImage());
      // Statements prepared before are invalid now.
      this.#version = this.#connection.prepare(VERSION);
    } else await migrate(this.kysely as Kysely<unknown>, this.schema);
  }

  asking<Result>(work: (database: Kysely<AccountSchema>) => Promise<Result>): Promise<Result> {
    return work(this.kysely);
  }

  reading<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.kysely.transaction().setAccessMode('read only').execute(work);
  }

  writing<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return this.kysely.transaction().execute(work);
  }

  /** Other processes open the database only for single commands and leave housekeeping to the service. */
  whileAlone(work: () => Promise<void>): Promise<void> {
    return work();
  }

  elsewhere(): Elsewhere {
    // A removed file can still be written, and all of it would be lost.
    if (identityOf(this.#file) !== this.#identity) {
      throw damaged(`${this.#file} was moved or replaced`);
    }
    const before = this.#seen;
    this.#seen = this.#version.get()!.data_version;
    return this.#seen === before ? 'nothing' : 'written';
  }

  /** SQLite sends no notifications: callers poll `elsewhere`. */
  onNews(): void {}

  check(): void {
    checkTables(this.#connection, () => performance.now());
  }

  async checkSchema(): Promise<void> {
    const found = structureOf(this.#connection);
    for (const part of await newestStructure()) {
      if (!found.has(part)) throw damaged(`${part} is missing`);
    }
  }

  async probe(): Promise<void> {
    await this.kysely.connection().execute(async () => {
      // The version field is unused: this writes to the log and syncs it without a change.
      this.#connection.exec('PRAGMA user_version = 0');
      this.check();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Waits for the connection, so calls in progress end normally.
    await this.kysely.connection().execute(() => Promise.resolve());
    await this.kysely.destroy();
    if (this.#file !== null) openFiles.delete(this.#file);
  }
}

let newest: Promise<Uint8Array> | null = null;

/** The schema that the migrations make in an empty database; in-memory databases start as copies of it. */
function newestImage(): Promise<Uint8Array> {
  newest ??= (async () => {
    const connection = connect(IN_MEMORY);
    await using database = new SqliteDatabase(connection, null);
    await migrate(database.kysely as Kysely<unknown>, database.schema);
    return connection.serialize();
  })();
  return newest;
}

let structure: Promise<ReadonlySet<string>> | null = null;

function newestStructure(): Promise<ReadonlySet<string>> {
  structure ??= (async () => {
    const connection = connect(IN_MEMORY);
    try {
      connection.deserialize(await newestImage());
      return structureOf(connection);
    } finally {
      connection.close();
    }
  })();
  return structure;
}

function isEmpty(connection: DatabaseSync): boolean {
  return connection.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
}

function identityOf(file: string | null): bigint | null {
  if (file === null) return null;
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

function connect(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, {
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    readBigInts: true,
  });
  try {
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  } catch (error) {
    connection.close();
    throw troubleOf(error) ?? error;
  }
  return connection;
}

/** SQLite gives the write-ahead log and its index the permissions of the file. */
function makePrivate(file: string): void {
  makeDirectoriesSync(dirname(file), { mode: 0o700 });
  closeSync(openSync(file, 'a', OWNER_ONLY));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) chmodSync(path, OWNER_ONLY);
  }
}

const sqliteSchema: SchemaDialect = {
  sequenceType: 'integer',
  sequence: (column) => column.primaryKey().autoIncrement(),
  async forbidChanges(database, table) {
    const why = `${table} can only grow`;
    for (const change of ['update', 'delete']) {
      await sqliteSchema.refuse(database, {
        name: `${table}_refuses_${change}`,
        table,
        change,
        why,
      });
    }
  },
  async refuse(database, { name, table, change, when, why }) {
    const trigger = sql`create trigger ${sql.id(name)} before ${sql.raw(change)} on ${sql.id(table)}`;
    const only = when === undefined ? sql`` : sql`when ${sql.raw(when)} `;
    const body = sql`${only}begin select raise(abort, ${sql.lit(why)}); end`;
    await sql`${trigger} ${body}`.execute(database);
  },
  async dropTrigger(database, _table, name) {
    await sql`drop trigger ${sql.id(name)}`.execute(database);
  },
};

class NodeSqliteDialect extends SqliteDialect {
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync) {
    super({ database: neverUsed });
    this.#connection = connection;
  }

  override createDriver(): Driver {
    return new NodeSqliteDriver(this.#connection);
  }
}

/** The driver is created here, so the dialect never requests a database. */
function neverUsed(): Promise<never> {
  return Promise.reject(new Error('the dialect makes its own driver'));
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync) {
    const statements = new PreparedStatements(connection);
    super({
      database: {
        prepare: (text: string) => statements.prepare(text),
        close: () => connection.close(),
      },
    });
    this.#connection = connection;
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** SQLite rolls back by itself on a full disk and similar errors. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** Caches prepared statements; the least recently used is evicted first. */
class PreparedStatements {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, NodeSqliteStatement>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  prepare(text: string): SqliteStatement {
    const statement =
      this.#statements.get(text) ?? new NodeSqliteStatement(this.#connection.prepare(text));
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    if (this.#statements.size > PREPARED_STATEMENTS_MAX) {
      this.#statements.delete(this.#statements.keys().next().value!);
    }
    return statement;
  }
}

class NodeSqliteStatement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...bound(parameters));
  }

  run(parameters: readonly unknown[]) {
    return this.#statement.run(...bound(parameters));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...bound(parameters)) as IterableIterator<unknown>;
  }
}

/** Whole numbers are bound as integers; a sum with a bound double would be a double. */
function bound(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) =>
    Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue),
  );
}
