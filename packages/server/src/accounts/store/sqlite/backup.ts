/**
 * Copies the accounts database while it is in use; a copy shows exactly one moment. It gets its name when it is
 * complete, checked and on disk. Neither a copy nor a database is ever overwritten. Copies hold digests, never keys,
 * and only their owner can read them. A restored database lacks everything after its copy: a key revoked since is valid
 * again.
 */

import { existsSync } from 'node:fs';
import { chmod, constants, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UNFINISHED_SUFFIX } from '../../../platform/disk/disk.ts';
import { makeDirectories } from '../../../platform/disk/make-directories.ts';
import { OWNER_ONLY } from '../../../platform/disk/private-file.ts';
import { syncDirectory } from '../../../platform/disk/sync-directory.ts';
import { SCHEMA_VERSION, SchemaTooNewError } from '../migrations/migrate.ts';
import { accountsPath } from './accounts-path.ts';
import { requireSoundSqlite } from './sqlite-database.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** For the operator to resolve; the message is complete. */
export class BackupRefusedError extends Error {}

/** Copies the accounts of a data directory to a new file; the service may be running. */
export async function backupAccounts(dataDirectory: string, target: string): Promise<void> {
  requireSoundSqlite();
  const source = accountsPath(dataDirectory);
  if (!existsSync(source)) {
    throw new BackupRefusedError(`there are no accounts in ${dataDirectory}`);
  }
  await placeNew(target, (unfinished) => {
    const database = new DatabaseSync(source, { timeout: BUSY_TIMEOUT_MS });
    try {
      // One read transaction: writers continue, and the copy holds none of their later work.
      database.prepare('VACUUM INTO ?').run(unfinished);
    } finally {
      database.close();
    }
    return Promise.resolve();
  });
}

/** Restores a copy into a data directory that has no accounts. */
export async function restoreAccounts(copy: string, dataDirectory: string): Promise<void> {
  requireSoundSqlite();
  if (!existsSync(copy)) throw new BackupRefusedError(`there is no file ${copy}`);
  if (existsSync(`${copy}-wal`)) {
    throw new BackupRefusedError(
      `${copy}-wal exists next to the copy, so this is a database in use; copy it with tapeloom backup`,
    );
  }
  const target = accountsPath(dataDirectory);
  for (const left of [`${target}-wal`, `${target}-shm`]) {
    if (existsSync(left))
      throw new BackupRefusedError(`${left} exists and belongs to a database; move it away first`);
  }
  await makeDirectories(dirname(target), { mode: 0o700 });
  await placeNew(target, (unfinished) => copyFile(copy, unfinished));
}

/** Fills a temporary file, checks it, and renames it once it is safe on disk. */
async function placeNew(target: string, fill: (unfinished: string) => Promise<void>) {
  if (existsSync(target))
    throw new BackupRefusedError(`${target} already exists; it is not overwritten`);
  const unfinished = `${target}${UNFINISHED_SUFFIX}`;
  await rm(unfinished, { force: true });
  try {
    {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      await using _file = await open(unfinished, flags, OWNER_ONLY);
    }
    await fill(unfinished);
    // Copying a file also copies its permissions.
    await chmod(unfinished, OWNER_ONLY);
    verify(unfinished);
    await sync(unfinished);
    if (existsSync(target))
      throw new BackupRefusedError(`${target} already exists; it is not overwritten`);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncDirectory(dirname(resolve(target)));
}

/** Throws unless the file is an intact accounts database of a known schema. */
function verify(path: string): void {
  const address = pathToFileURL(resolve(path));
  // No other process has the file, so reading it may leave no files beside it.
  address.search = 'immutable=1';
  let version: unknown;
  try {
    const database = new DatabaseSync(address, { readOnly: true });
    try {
      const found = database.prepare('PRAGMA integrity_check').all();
      if (found.length !== 1 || found[0]!.integrity_check !== 'ok') {
        throw new Error(String(found[0]!.integrity_check));
      }
      version = database.prepare('SELECT max(version) AS newest FROM schema_version').get()!.newest;
    } finally {
      database.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BackupRefusedError(`this is not an intact copy of accounts: ${why}`, {
      cause: error,
    });
  }
  if (typeof version !== 'number') throw new BackupRefusedError('this copy contains no accounts');
  if (version > SCHEMA_VERSION) throw new SchemaTooNewError(version);
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
