/**
 * A folder of backups. Every backup is one record, `<time>.json`, which names each file of the data directory with its
 * size and SHA-256. Contents are below `files/` by their SHA-256, each once, whichever backups share it. A record is
 * written last and never changed: a backup is complete or absent, and a run that dies harms no earlier one.
 */

import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MIB } from '@tapeloom/core/units';
import { BackupRefusedError } from '../../accounts/store/sqlite/backup.ts';
import { UNFINISHED_SUFFIX } from '../../platform/disk/disk.ts';
import { makeDirectories } from '../../platform/disk/make-directories.ts';
import {
  OWNER_ONLY,
  OWNER_ONLY_DIRECTORY,
  replacePrivateFile,
} from '../../platform/disk/private-file.ts';
import { syncDirectory } from '../../platform/disk/sync-directory.ts';
import { parseChecked, printChecked } from '../../tape/checked-json.ts';

const RECORD_VERSION = 1;
const RECORD_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.json$/;
const CONTENTS = 'files';
const PIECE_BYTES = MIB;

export interface BackupFile {
  /** Relative to the data directory, with slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The file's metadata at the time of the backup. A file with the same metadata is not read again. */
  readonly seen: string;
}

export interface BackupRecord {
  readonly version: number;
  /** When it was made, as an instant of ISO 8601. */
  readonly at: string;
  /** The version of the program that made it, and the data format of that program. */
  readonly program: string;
  readonly format: number;
  readonly data: string;
  readonly files: readonly BackupFile[];
}

export type NewRecord = Omit<BackupRecord, 'version'>;

/** The names of the folder's records, oldest first. */
export async function recordNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => RECORD_NAME.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Throws `TapeDamagedError` unless it is exactly what was written. */
export async function readRecord(folder: string, name: string): Promise<BackupRecord> {
  const file = join(folder, name);
  const text = await readFile(file, 'utf8');
  const wanted = { what: 'record of the backup', version: RECORD_VERSION, file };
  return parseChecked<BackupRecord>(text, wanted);
}

export async function writeRecord(folder: string, record: NewRecord): Promise<string> {
  const name = `${record.at.replaceAll(':', '-')}.json`;
  if (existsSync(join(folder, name))) throw new BackupRefusedError(`${name} exists in ${folder}`);
  await replacePrivateFile(folder, name, printChecked({ version: RECORD_VERSION, ...record }));
  return name;
}

export function contentPath(folder: string, sha256: string): string {
  return join(folder, CONTENTS, sha256.slice(0, 2), sha256);
}

/** Whether the content is there with the right length; its bytes are not checked. */
export async function hasContent(
  folder: string,
  { sha256, bytes }: Pick<BackupFile, 'sha256' | 'bytes'>,
): Promise<boolean> {
  try {
    return (await stat(contentPath(folder, sha256))).size === bytes;
  } catch {
    return false;
  }
}

/** Stores the first `bytes` bytes of an open file. Null if there are fewer. */
export async function addContent(
  folder: string,
  source: FileHandle,
  bytes: number,
  onBytes: (count: number) => void,
): Promise<string | null> {
  const unfinished = join(folder, `content${UNFINISHED_SUFFIX}`);
  const hash = createHash('sha256');
  {
    await using target = await open(unfinished, 'w', OWNER_ONLY);
    if (!(await copyPieces(source, target, bytes, hash, onBytes))) return null;
    await target.sync();
  }
  const sha256 = hash.digest('hex');
  const path = contentPath(folder, sha256);
  await makeDirectories(dirname(path), { mode: OWNER_ONLY_DIRECTORY });
  await rename(unfinished, path);
  await syncDirectory(dirname(path));
  await syncDirectory(join(folder, CONTENTS));
  return sha256;
}

/** Returns whether there were enough bytes; `target` null: they are only hashed. */
export async function copyPieces(
  source: FileHandle,
  target: FileHandle | null,
  bytes: number,
  hash: Hash,
  onBytes: (count: number) => void,
): Promise<boolean> {
  const piece = Buffer.alloc(Math.min(PIECE_BYTES, Math.max(bytes, 1)));
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await source.read(piece, 0, Math.min(piece.length, bytes - done), done);
    if (bytesRead === 0) return false;
    const read = piece.subarray(0, bytesRead);
    hash.update(read);
    if (target !== null) await target.writeFile(read);
    done += bytesRead;
    onBytes(bytesRead);
  }
  return true;
}

/** Removes old records except the `keep` newest, and unused contents. Resolves to the number of removed records. */
export async function removeOldBackups(folder: string, keep: number): Promise<number> {
  const names = await recordNames(folder);
  const old = names.slice(0, Math.max(0, names.length - keep));
  const named = new Set<string>();
  try {
    for (const name of names.slice(old.length)) {
      for (const { sha256 } of (await readRecord(folder, name)).files) named.add(sha256);
    }
  } catch {
    // An unreadable record may refer to any content: nothing is removed until the operator has repaired it.
    return 0;
  }
  for (const name of old) await rm(join(folder, name));
  await syncDirectory(folder);
  for await (const { path, sha256 } of contents(folder)) if (!named.has(sha256)) await rm(path);
  return old.length;
}

/** All contents in the folder, with or without a record. */
async function* contents(
  folder: string,
): AsyncGenerator<{ readonly path: string; readonly sha256: string }> {
  const root = join(folder, CONTENTS);
  if (!existsSync(root)) return;
  for (const part of await readdir(root)) {
    for (const sha256 of await readdir(join(root, part))) {
      yield { path: join(root, part, sha256), sha256 };
    }
  }
}
