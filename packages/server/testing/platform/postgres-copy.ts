/**
 * A copy of a test PostgreSQL's files, taken during use and restored later, like `pg_basebackup`, which npm's package
 * does not include. Restoring restarts the server, which has lost everything since the copy.
 */

import { execFile } from 'node:child_process';
import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgres } from '../../src/platform/postgres/postgres.ts';
import type { PostgresServer } from './postgres-server.ts';

const run = promisify(execFile);

export class PostgresCopy {
  readonly #server: PostgresServer;
  readonly #directory: string;

  private constructor(server: PostgresServer, directory: string) {
    this.#server = server;
    this.#directory = directory;
  }

  static async of(server: PostgresServer, name = 'copy'): Promise<PostgresCopy> {
    const data = join(server.directory, 'data');
    const directory = join(server.directory, name);
    await using postgres = openPostgres({ url: server.urlOf('postgres'), connectionsMax: 1 });
    const connection = await postgres.connect();
    try {
      await connection.query(`select pg_backup_start('a test', true)`);
      await copyOf(data, directory);
      const { rows } = await connection.query<{ readonly labelfile: string }>(
        'select labelfile from pg_backup_stop(false)',
      );
      // The label marks where the log begins that makes the files consistent; the log up to here follows.
      const label = join(directory, 'backup_label');
      await writeFile(label, rows[0]!.labelfile);
      const { uid, gid } = await stat(directory);
      await chown(label, uid, gid);
      await rm(join(directory, 'pg_wal'), { recursive: true });
      await copyOf(join(data, 'pg_wal'), join(directory, 'pg_wal'));
      await rm(join(directory, 'postmaster.pid'));
    } finally {
      connection.release();
    }
    return new PostgresCopy(server, directory);
  }

  /** Usable once: the copy becomes the server's data. */
  async putBack(): Promise<void> {
    const data = join(this.#server.directory, 'data');
    await this.#server.stop();
    await rm(data, { recursive: true });
    await this.moveTo(data);
    await this.#server.start();
  }

  /** Usable once: another server may start from it. */
  async moveTo(directory: string): Promise<void> {
    await rename(this.#directory, directory);
  }
}

/** With their owners. Files that vanish during the copy do not matter, because the log has their changes. */
async function copyOf(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]).catch((error: Error) => {
    const others = error.message
      .split('\n')
      .slice(1)
      .filter((line) => line !== '' && !line.endsWith('No such file or directory'));
    if (others.length > 0) throw error;
  });
}
