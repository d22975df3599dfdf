/**
 * SQLite as the account store's database: write-ahead log, every commit synced to disk, foreign keys
 * enforced, and writers of several processes wait for each other. A library version with a known fault
 * in its write-ahead log is refused. The file can be read by its owner only.
 *
 * A write transaction takes the write lock when it begins: one that began as a reader could find, when it
 * writes, that its reading is out of date, and no waiting would help. For the same reason one thread opens
 * a file once: its second connection would wait for the first one, which could not go on meanwhile.
 */

import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
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
import type { AccountSchema } from './account-schema.ts';
import type { SchemaDialect } from './migrations/migration.ts';
import type { SqlDatabase } from './sql-database.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** Earlier versions can damage a database when a write-ahead log starts anew while others read it. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;
/** The store has about fifty statements; the limit only guards against one that is built from data. */
const PREPARED_STATEMENTS_MAX = 256;
export const IN_MEMORY = ':memory:';

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

/** Opens a database file, making it if it is missing, or one that lives in memory only. */
export function openSqliteDatabase(path: string): SqlDatabase {
  requireSoundSqlite();
  const file = path === IN_MEMORY ? null : resolve(path);
  if (file !== null) {
    if (openFiles.has(file)) throw new Error(`this thread has ${file} open already`);
    makePrivate(file);
  }
  const connection = connect(file ?? IN_MEMORY);
  if (file !== null) openFiles.add(file);
  const kysely = new Kysely<AccountSchema>({ dialect: new NodeSqliteDialect(connection) });
  const version = connection.prepare('PRAGMA data_version');
  const readVersion = () => version.get()!.data_version;
  let seen = readVersion();
  return {
    kysely,
    schema: sqliteSchema,
    wasWrittenElsewhere() {
      const before = seen;
      seen = readVersion();
      return seen !== before;
    },
    async [Symbol.asyncDispose]() {
      // Waits its turn, so that calls under way end as if nothing had been closed.
      await kysely.connection().execute(() => Promise.resolve());
      await kysely.destroy();
      if (file !== null) openFiles.delete(file);
    },
  };
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
    throw error;
  }
  return connection;
}

/** The write-ahead log and its index take their permissions from the file. */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

const sqliteSchema: SchemaDialect = {
  sequenceType: 'integer',
  sequence: (column) => column.primaryKey().autoIncrement(),
  async forbidChanges(database, table) {
    for (const change of ['update', 'delete']) {
      const name = sql.id(`${table}_refuses_${change}`);
      const refusal = sql.lit(`${table} can only grow`);
      const body = sql`begin select raise(abort, ${refusal}); end`;
      await sql`create trigger ${name} before ${sql.raw(change)} on ${sql.id(table)} ${body}`.execute(
        database,
      );
    }
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

/** The driver is made here, so the dialect never asks for a database itself. */
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

  /** A full disk and the like make SQLite roll back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** Keeps statements ready for their next use; the one that was not used for longest goes first. */
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

/** Whole numbers are bound as integers; as doubles, a sum with them would be a double too. */
function bound(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) =>
    Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue),
  );
}
