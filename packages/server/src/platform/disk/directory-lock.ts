/**
 * At most one process owns a data directory, and only one whose program knows the directory's format. The lock is an exclusive SQLite transaction that is
 * held open on `<directory>/lock.db` and never written: the operating system drops it the moment
 * the process dies, however it dies, so there is no stale lock to clean up. `lock.pid` beside it
 * only tells people who holds it.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveFilesToOwner } from '../owner.ts';
import { requireDataFormat } from './data-format.ts';
import { makeDirectoriesSync } from './make-directories.ts';

const SQLITE_BUSY = 5;
/** Who only looks whether somebody holds it is gone by then. */
const LOOKED_AT_MS = 100;
/** Keeps held locks from being collected as garbage, which would release them. */
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
 * Takes the directory, making it if it is missing. Throws `DirectoryLockedError` when it is taken, and
 * `DataFormatError` when a newer program has had it.
 */
export function lockDirectory(directory: string): Disposable {
  return lockFolder(directory, 'the data directory', () => requireDataFormat(directory));
}

/** The same for a directory of another kind: `what` it is called, and whether it may be used at all. */
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

/** Whether a process holds this directory. Takes nothing that another could not have at the same time but for an instant. */
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
