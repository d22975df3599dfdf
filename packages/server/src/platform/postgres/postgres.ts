/**
 * The PostgreSQL client for everything that machines share there: a pool of connections with time limits on both sides.
 * A server that hangs or is cut off is noticed within seconds, and a hanging node holds no lock for long. An
 * unreachable server rejects with `PostgresUnreachableError`; errors of the server itself are `PostgresError`. A broken
 * connection is replaced on demand. This file is loaded only if PostgreSQL is configured.
 */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** Connections of one pool; further callers wait. */
const CONNECTIONS_MAX = 16;
const CONNECT_WITHIN_MS = 3_000;
/** The server cancels a statement that takes longer. */
const STATEMENT_WITHIN_MS = 5_000;
/** Without a response by then, the connection is cut. */
const ANSWER_WITHIN_MS = 7_000;
/** A node that stops inside a transaction holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 5_000;
const TIME_LIMITS = {
  statement_timeout: STATEMENT_WITHIN_MS,
  query_timeout: ANSWER_WITHIN_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};
const IDLE_CONNECTION_KEPT_MS = 60_000;
const PROBE_LINE_AFTER_MS = 5_000;
const PORT = 5_432;

/** Counts and instants are 64-bit: none may be converted to a double. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, (text: string) => BigInt(text));

/** The server is unreachable or did not respond in time; whether it executed the request is unknown. */
export class PostgresUnreachableError extends Error {}

/** An existing connection broke; a new one may well succeed. The last request may have been executed. */
export class PostgresBrokenError extends PostgresUnreachableError {}

/** An error of the server itself, with its five-character code. */
export const PostgresError = pg.DatabaseError;

export interface PostgresOptions {
  /** `postgresql://user[:password]@host[:port]/database[?sslmode=disable|verify-full]`; `%2F…`: socket directory. */
  readonly url: string;
  /** Read at every connection, so that the password can change without a restart. */
  readonly passwordFile?: string | null;
  /** The trusted certificates; default: those of the system. */
  readonly caFile?: string | null;
  /** The application name, visible to the server's operators. */
  readonly name?: string;
  readonly connectionsMax?: number;
  /** No time limits, for changes of a whole schema. */
  readonly isUnlimited?: boolean;
}

/** A statement; a named one is planned once per connection. */
export type Statement =
  | string
  | { readonly text: string; readonly name?: string; readonly withinMs?: number };

export interface Answer<Row> {
  readonly command: string;
  readonly rowCount: number;
  readonly rows: Row[];
}

/** A connection until it is released. */
export interface PostgresConnection {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Answer<Row>>;
  /** A broken one is not reused. */
  release(isBroken?: boolean): void;
}

export interface PostgresCounts {
  readonly open: number;
  readonly idle: number;
  readonly openMax: number;
  readonly waiting: number;
}

export interface Postgres extends AsyncDisposable {
  readonly counts: PostgresCounts;
  /** Runs one statement as one transaction. */
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Commits all statements of `work` or none; `read committed`: each sees what is committed by then. */
  transaction<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result>;
  connect(): Promise<PostgresConnection>;
  /** A connection outside the pool, for session locks and notifications, which live as long as it does. */
  client(): pg.Client;
}

/** Connects on first use. Throws for an invalid address. */
export function openPostgres(options: PostgresOptions): Postgres {
  return new PostgresPool(configOf(options));
}

class PostgresPool implements Postgres {
  readonly #config: pg.PoolConfig;
  readonly #pool: pg.Pool;

  constructor(config: pg.PoolConfig) {
    this.#config = config;
    this.#pool = new pg.Pool(config);
    // An idle connection that breaks is replaced; without a listener the error would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  get counts(): PostgresCounts {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { open: totalCount, idle: idleCount, openMax: options.max, waiting: waitingCount };
  }

  async query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
    const connection = await this.connect();
    try {
      const { rows } = await connection.query<Row>(statement, values);
      return rows;
    } finally {
      connection.release();
    }
  }

  async transaction<Result>(
    work: (connection: PostgresConnection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await this.connect();
    let isBroken = false;
    try {
      await connection.query('begin isolation level read committed');
      const result = await work(connection);
      const { command } = await connection.query('commit');
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed');
      return result;
    } catch (error) {
      await connection.query('rollback').catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      connection.release(isBroken);
    }
  }

  async connect(): Promise<PostgresConnection> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw new PostgresUnreachableError('PostgreSQL cannot be reached', { cause: error });
    });
    let isLost = false;
    return {
      query: <Row>(statement: Statement, values?: readonly unknown[]) =>
        ask<Row>(client, statement, values).catch((error: unknown) => {
          isLost ||= error instanceof PostgresUnreachableError || isOnlyReading(error);
          throw error;
        }),
      release: (isBroken = false) => client.release(isBroken || isLost),
    };
  }

  client(): pg.Client {
    return new pg.Client(this.#config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

async function ask<Row>(
  client: pg.PoolClient,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Answer<Row>> {
  const { withinMs, ...query } = typeof statement === 'string' ? { text: statement } : statement;
  const limit = withinMs === undefined ? {} : { query_timeout: withinMs };
  try {
    const asked = { ...query, ...limit, values: [...values] };
    const answers: unknown = await client.query(asked);
    // Several statements in one text give several results; the last one counts.
    const last = (Array.isArray(answers) ? answers.at(-1) : answers) as pg.QueryResult;
    return { command: last.command, rowCount: last.rowCount ?? 0, rows: last.rows as Row[] };
  } catch (error) {
    if (error instanceof pg.DatabaseError && !SERVER_LEAVES.has(error.code ?? '')) throw error;
    // The response may still arrive: no other caller may receive it.
    hangUp(client);
    if (error instanceof Error && error.message === 'Query read timeout') {
      throw new PostgresUnreachableError('PostgreSQL does not answer', { cause: error });
    }
    throw new PostgresBrokenError('the connection to PostgreSQL was lost', { cause: error });
  }
}

/** The server is stopping, has crashed, does not accept connections yet, or has ended this one. */
const SERVER_LEAVES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '25P04']);

/**
 * The server is a read-only standby: the address may lead to another server by now, which a kept connection would never
 * reach.
 */
function isOnlyReading(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}

function hangUp(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

function configOf({
  url,
  passwordFile = null,
  caFile = null,
  name = 'tapeloom',
  connectionsMax = CONNECTIONS_MAX,
  isUnlimited = false,
}: PostgresOptions): pg.PoolConfig {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  const host = decodeURIComponent(address.hostname).replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: address.port === '' ? PORT : Number(address.port),
    user: decodeURIComponent(address.username),
    database: decodeURIComponent(address.pathname.slice(1)),
    password: async () =>
      passwordFile === null ? password : (await readFile(passwordFile, 'utf8')).trim(),
    ssl: isPlain(host, address.searchParams.get('sslmode'))
      ? false
      : { rejectUnauthorized: true, ...(caFile === null ? {} : { ca: readFileSync(caFile) }) },
    application_name: name,
    types: TYPES,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    ...(isUnlimited ? {} : TIME_LIMITS),
    idleTimeoutMillis: IDLE_CONNECTION_KEPT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_LINE_AFTER_MS,
  };
}

/** Unencrypted only if requested, or if nothing leaves the machine. */
function isPlain(host: string, sslmode: string | null): boolean {
  if (sslmode !== null) return sslmode === 'disable';
  return host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);
}
