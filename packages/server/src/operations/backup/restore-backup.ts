/**
 * Restores a backup into a data directory that has none of its parts. Every file is copied to a staging directory and
 * verified by its SHA-256. The parts move into place when all are sound, so a rejected restore leaves nothing behind.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupRefusedError } from '../../accounts/store/sqlite/backup.ts';
import { DATA_FORMAT } from '../../platform/disk/data-format.ts';
import { makeDirectories } from '../../platform/disk/make-directories.ts';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY } from '../../platform/disk/private-file.ts';
import { syncDirectory } from '../../platform/disk/sync-directory.ts';
import { giveToOwner } from '../../platform/owner.ts';
import { VERSION } from '../../platform/version.ts';
import {
  type BackupFile,
  type BackupRecord,
  contentPath,
  copyPieces,
  readRecord,
  recordNames,
} from './backup-folder.ts';
import { ACCOUNTS_FILE } from './make-backup.ts';

const STAGING = 'restoring';
const ADVICE =
  'Nothing was restored; tapeloom backup verify names all such files, and --at chooses an earlier backup';

export interface RestoreRequest {
  readonly folder: string;
  /** The time of the backup, or a prefix of it; null: the newest one. */
  readonly at: string | null;
  /** The caller holds its lock. */
  readonly data: string;
  /** Leaves the existing tape in place. */
  readonly onlyAccounts: boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

export interface Restored {
  readonly at: string;
  readonly files: number;
  readonly bytes: number;
}

export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { data, onlyAccounts } = request;
  const record = await chosenRecord(request);
  const files = record.files.filter(({ path }) => !onlyAccounts || path === ACCOUNTS_FILE);
  const tops = [...new Set(files.map(({ path }) => path.split('/')[0]!))];
  for (const top of tops) await requireFree(join(data, top));
  const staging = join(data, STAGING);
  await rm(staging, { recursive: true, force: true });
  try {
    for (const file of files) await copyOut(request, file, join(staging, file.path));
    if (existsSync(join(staging, 'accounts'))) {
      await chmod(join(staging, 'accounts'), OWNER_ONLY_DIRECTORY);
    }
    await giveToOwner(data, staging);
    // The accounts last: without them a start rejects an incomplete directory.
    for (const top of tops.sort((a, b) => Number(a === 'accounts') - Number(b === 'accounts'))) {
      await rm(join(data, top), { recursive: true, force: true });
      await rename(join(staging, top), join(data, top));
    }
    await syncDirectory(data);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { at: record.at, files: files.length, bytes };
}

async function chosenRecord({ folder, at }: RestoreRequest): Promise<BackupRecord> {
  const names = await recordNames(folder);
  if (names.length === 0) throw new BackupRefusedError(`there is no backup in ${folder}`);
  const wanted = at?.replaceAll(':', '-') ?? '';
  const name = names.findLast((each) => each.startsWith(wanted));
  if (name === undefined) {
    const all = names.map((each) => each.slice(0, -'.json'.length)).join(', ');
    throw new BackupRefusedError(`${folder} has no backup of ${at}; the backups are ${all}`);
  }
  const record = await readRecord(folder, name);
  if (record.format <= DATA_FORMAT) return record;
  throw new BackupRefusedError(
    `the backup was made by Tapeloom ${record.program}, format ${record.format}; this is Tapeloom ${VERSION}, which ` +
      `knows formats up to ${DATA_FORMAT}. Install Tapeloom ${record.program} or later`,
  );
}

async function requireFree(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const isEmpty = await readdir(path).then(
    (names) => names.length === 0,
    () => false,
  );
  if (!isEmpty) {
    throw new BackupRefusedError(
      `${path} already exists and is not overwritten; move it away and restore again`,
    );
  }
}

async function copyOut(
  { folder, signal, onBytes }: RestoreRequest,
  { path, bytes, sha256 }: BackupFile,
  target: string,
): Promise<void> {
  signal.throwIfAborted();
  const content = contentPath(folder, sha256);
  if (!existsSync(content)) {
    throw new BackupRefusedError(`${content}, the backup's copy of ${path}, is missing. ${ADVICE}`);
  }
  await makeDirectories(dirname(target));
  await using source = await open(content, 'r');
  const { size } = await source.stat();
  await using file = await open(target, 'wx', path === ACCOUNTS_FILE ? OWNER_ONLY : 0o666);
  const hash = createHash('sha256');
  const isWhole = size === bytes && (await copyPieces(source, file, bytes, hash, onBytes));
  if (!isWhole || hash.digest('hex') !== sha256) {
    throw new BackupRefusedError(
      `${content}, the backup's copy of ${path}, does not match its SHA-256. ${ADVICE}`,
    );
  }
  await file.sync();
}
