/**
 * A standby of a test PostgreSQL: starts from a copy, follows by streaming replication, is read-only, and can be
 * promoted. Data not yet sent by the primary is lost, as with every asynchronous standby.
 */

import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgres } from '../../src/platform/postgres/postgres.ts';
import { PostgresCopy } from './postgres-copy.ts';
import { PostgresServer } from './postgres-server.ts';

const LOOK_EVERY_MS = 20;

export class PostgresStandby implements AsyncDisposable {
  readonly server: PostgresServer;
  readonly #primary: PostgresServer;

  private constructor(server: PostgresServer, primary: PostgresServer) {
    this.server = server;
    this.#primary = primary;
  }

  static async of(primary: PostgresServer): Promise<PostgresStandby> {
    const copy = await PostgresCopy.of(primary, 'standby');
    const server = await PostgresServer.start({
      fill: async (data) => {
        await copy.moveTo(data);
        await writeFile(join(data, 'standby.signal'), '');
        const from = `host=${primary.directory} port=${primary.port} user=tapeloom`;
        await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
      },
    });
    return new PostgresStandby(server, primary);
  }

  /** Waits until it has everything its primary has now. */
  async caughtUp(): Promise<void> {
    const [end] = await asked<{ readonly end: string }>(
      this.#primary,
      'select pg_current_wal_lsn()::text as "end"',
    );
    const has = `select pg_last_wal_replay_lsn() >= '${end!.end}'::pg_lsn as "isThere"`;
    await this.#until<{ isThere: boolean }>(has, ({ isThere }) => isThere);
  }

  async cutOff(): Promise<void> {
    await asked(this.server, `alter system set primary_conninfo = ''`);
    await asked(this.server, 'select pg_reload_conf()');
    await this.#until<{ count: bigint }>(
      'select count(*) as count from pg_stat_wal_receiver',
      ({ count }) => count === 0n,
    );
  }

  async promote(): Promise<void> {
    await asked(this.server, 'select pg_promote()');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  async #until<Row>(statement: string, isSo: (row: Row) => boolean): Promise<void> {
    while (!isSo((await asked<Row>(this.server, statement))[0]!)) await wait(LOOK_EVERY_MS);
  }
}

async function asked<Row>(server: PostgresServer, statement: string): Promise<Row[]> {
  await using postgres = openPostgres({ url: server.urlOf('postgres'), connectionsMax: 1 });
  return await postgres.query<Row>(statement);
}
