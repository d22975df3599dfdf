/**
 * At most one process owns a data directory, and only one whose program knows the directory's format. The lock is an
 * exclusive SQLite transaction on `<directory>/lock.db` that stays open and never writes. The operating system releases
 * it when the process dies, so there are no stale locks. `lock.pid` beside it only informs people.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveFilesToOwner } from '../owner.ts';
import { requireDataFormat } from './data-format.ts';
import { makeDirectoriesSync } from './make-directories.ts';

const SQLITE_BUSY = 5;
/** A process that merely checks the lock has released it by then. */
const LOOKED_AT_MS = 100;
/** Keeps held locks from garbage collection, which would release them. */
const held = new Set<DatabaseSync>();

export class DirectoryLockedError extends Error {
  readonly directory: string;
  readonly holderPid: number | null;

  constructor(what: string, directory: string, holderPid: number | null, cause: unknown) {
    const holder = holderPid === null ? 'another process' : `process ${holderPid}`;
    super(`${what} ${directory} is in use by ${holder}`, { cause });
    this.directory = directory;
    this.holderPid = holderPid;
  }
}

/**
 * Locks the directory, and creates it if it is missing. Throws `DirectoryLockedError` if it is locked, and
 * `DataFormatError` if a newer program has used it.
 */
export function lockDirectory(directory: string): Disposable {
  return lockFolder(directory, 'the data directory', () => requireDataFormat(directory));
}

/** The same for another kind of directory: `what` names it in messages, `check` throws if it must not be used. */
export function lockFolder(
  directory: string,
  what: string,
  check: () => void = () => undefined,
): Disposable {
  makeDirectoriesSync(directory);
  const database = new DatabaseSync(join(directory, 'lock.db'), { timeout: LOOKED_AT_MS });
  const pidFile = join(directory, 'lock.pid');
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new DirectoryLockedError(what, directory, readPid(pidFile), error);
  }
  try {
    check();
    writeFileSync(pidFile, `${process.pid}\n`);
    giveFilesToOwner(directory, ['lock.db', 'lock.pid', 'format.json']);
  } catch (error) {
    database.close();
    throw error;
  }
  held.add(database);
  return {
    [Symbol.dispose]: () => {
      if (held.delete(database)) database.close();
    },
  };
}

/** Whether a process holds this directory. The check itself takes only a shared lock, for an instant. */
export function isDirectoryInUse(directory: string): boolean {
  const path = join(directory, 'lock.db');
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { timeout: 0, readOnly: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}
