/**
 * A copy of everything that a PostgreSQL of a test keeps, taken of its files while it is in use, and put in their place later: as
 * `pg_basebackup` does it, which the package of npm lacks. Nobody notices that a copy is made; when it is put back the server
 * is started again, and knows nothing of what came after the copy.
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
      // Where its log begins that makes one moment of the files, and the log up to here.
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

  /** Once: it is the server's data from then on. */
  async putBack(): Promise<void> {
    const data = join(this.#server.directory, 'data');
    await this.#server.stop();
    await rm(data, { recursive: true });
    await this.moveTo(data);
    await this.#server.start();
  }

  /** Once: another server may begin with it. */
  async moveTo(directory: string): Promise<void> {
    await rename(this.#directory, directory);
  }
}

/** With their owners. Files that vanish meanwhile are of no interest: the log has what became of them. */
async function copyOf(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]).catch((error: Error) => {
    const others = error.message
      .split('\n')
      .slice(1)
      .filter((line) => line !== '' && !line.endsWith('No such file or directory'));
    if (others.length > 0) throw error;
  });
}
