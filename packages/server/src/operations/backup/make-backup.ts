/**
 * Makes a backup of a data directory, whether or not its service runs. Files unchanged since the newest backup, by
 * their metadata, are not read again. A damaged sealed day is copied and reported; earlier backups keep the sound one.
 */

import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { accountsPath } from '../../accounts/store/sqlite/accounts-path.ts';
import { BackupRefusedError, backupAccounts } from '../../accounts/store/sqlite/backup.ts';
import { DATA_FORMAT, requireKnownFormat } from '../../platform/disk/data-format.ts';
import { lockFolder } from '../../platform/disk/directory-lock.ts';
import { makeDirectories } from '../../platform/disk/make-directories.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { OWNER_ONLY_DIRECTORY } from '../../platform/disk/private-file.ts';
import { VERSION } from '../../platform/version.ts';
import { readSoundSidecar } from '../../tape/read/sealed-days.ts';
import {
  addContent,
  type BackupFile,
  hasContent,
  readRecord,
  recordNames,
  removeOldBackups,
  writeRecord,
} from './backup-folder.ts';
import { datasetFiles, datasetsOf, logNames, otherFiles } from './data-files.ts';

/** How often a dataset is listed and copied again because it changes during the copy. */
const ROUNDS_MAX = 10;
export const ACCOUNTS_FILE = 'accounts/accounts.db';

export interface BackupRequest {
  readonly data: string;
  readonly folder: string;
  /** An instant of ISO 8601. */
  readonly at: string;
  /** How many backups stay. The oldest are removed, with the contents that only they have. */
  readonly keep: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BackupProgress) => void;
}

export interface BackupProgress {
  readonly files: number;
  readonly filesTotal: number;
  readonly bytesRead: number;
}

export interface BackupMade {
  readonly record: string;
  readonly files: number;
  readonly bytes: number;
  /** Files that were read and copied; the others were in the folder already. */
  readonly filesCopied: number;
  readonly bytesCopied: number;
  readonly removed: number;
  /** Sealed days that do not match their checksum. */
  readonly damaged: readonly string[];
  /** Files that a manifest names but that are missing. */
  readonly missing: readonly string[];
}

export async function makeBackup(request: BackupRequest): Promise<BackupMade> {
  const { data, folder, at, keep } = request;
  requireKnownFormat(data);
  if (!existsSync(accountsPath(data))) {
    throw new BackupRefusedError(`there are no accounts in ${data}`);
  }
  await makeDirectories(folder, { mode: OWNER_ONLY_DIRECTORY });
  using _lock = lockFolder(folder, 'the folder of backups');
  const copy = new DirectoryCopy(request, await newestFiles(folder));
  await copy.accounts();
  const missing = await copy.tape();
  await copy.others();
  const record = await writeRecord(folder, {
    ...{ at, program: VERSION, format: DATA_FORMAT, data },
    files: copy.files,
  });
  return {
    record: join(folder, record),
    files: copy.files.length,
    bytes: copy.files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...copy.copied,
    removed: await removeOldBackups(folder, keep),
    damaged: copy.damaged,
    missing,
  };
}

/** The files of the newest backup, by path; none if its record cannot be read. */
async function newestFiles(folder: string): Promise<ReadonlyMap<string, BackupFile>> {
  const name = (await recordNames(folder)).at(-1);
  if (name === undefined) return new Map();
  try {
    const { files } = await readRecord(folder, name);
    return new Map(files.map((file) => [file.path, file]));
  } catch {
    return new Map();
  }
}

class DirectoryCopy {
  readonly copied = { filesCopied: 0, bytesCopied: 0 };
  readonly damaged: string[] = [];
  readonly #request: BackupRequest;
  readonly #known: Map<string, BackupFile>;
  readonly #files = new Map<string, BackupFile>();
  readonly #disk = new NodeDisk();
  #filesTotal = 1;
  #bytesRead = 0;

  constructor(request: BackupRequest, known: ReadonlyMap<string, BackupFile>) {
    this.#request = request;
    this.#known = new Map(known);
  }

  get files(): readonly BackupFile[] {
    return [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** A consistent snapshot of the database. */
  async accounts(): Promise<void> {
    const { data, folder } = this.#request;
    const copy = join(folder, 'accounts.db');
    await rm(copy, { force: true });
    try {
      await backupAccounts(data, copy);
      if (!(await this.#copy(ACCOUNTS_FILE, copy))) throw new BackupRefusedError(`${copy} is gone`);
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Resolves to the files that manifests name but that are missing. */
  async tape(): Promise<readonly string[]> {
    const missing: string[] = [];
    for (const dataset of await datasetsOf(this.#disk, join(this.#request.data, 'tape'))) {
      missing.push(...(await this.#dataset(dataset)));
    }
    return missing;
  }

  async others(): Promise<void> {
    const paths = await otherFiles(this.#disk, this.#request.data);
    this.#filesTotal += paths.length;
    for (const path of paths) await this.#copy(path);
  }

  async #dataset(dataset: string): Promise<readonly string[]> {
    const { data } = this.#request;
    const filesBefore = this.#filesTotal;
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      const { files, logs, missing } = await datasetFiles(this.#disk, data, dataset);
      this.#filesTotal = filesBefore + files.length;
      const isWhole = await this.#copyAll(files);
      const isStill = (await logNames(this.#disk, join(data, 'tape'), dataset)).join(' ') === logs;
      // A file may vanish between two listings: only a second round shows whether it stays missing.
      const isSettled = missing.length === 0 || round > 1;
      if (isWhole && isStill && isSettled && !missing.some((path) => path.endsWith('.log'))) {
        return missing;
      }
      for (const path of this.#files.keys()) {
        if (path.startsWith(`tape/${dataset}/`)) this.#files.delete(path);
      }
    }
    throw new BackupRefusedError(
      `the files of ${dataset} changed while they were copied, or a log of it is missing; ` +
        'run tapeloom tape verify, and try again',
    );
  }

  async #copyAll(paths: readonly string[]): Promise<boolean> {
    for (const path of paths) if (!(await this.#copy(path))) return false;
    return true;
  }

  async #copy(path: string, source = join(this.#request.data, path)): Promise<boolean> {
    const { folder, signal } = this.#request;
    signal.throwIfAborted();
    if (!existsSync(source)) return false;
    await using file = await open(source, 'r');
    const { ino, ctimeMs, mtimeMs, size } = await file.stat();
    const seen = `${ino} ${ctimeMs} ${mtimeMs} ${size}`;
    const known = this.#known.get(path);
    if (known?.seen === seen && (await hasContent(folder, known))) {
      this.#files.set(path, known);
      this.#tell(0);
      return true;
    }
    const sha256 = await addContent(folder, file, size, (count) => this.#tell(count));
    if (sha256 === null) return false;
    const copied = { path, bytes: size, sha256, seen };
    this.#files.set(path, copied);
    this.#known.set(path, copied);
    this.copied.filesCopied += 1;
    this.copied.bytesCopied += size;
    await this.#judge(source, path, sha256);
    return true;
  }

  /** Compares a sealed day with the digest in its sidecar. */
  async #judge(source: string, path: string, sha256: string): Promise<void> {
    if (!path.endsWith('.arrow')) return;
    const sidecar = await readSoundSidecar(this.#disk, `${source.slice(0, -'.arrow'.length)}.json`);
    if (sidecar?.sha256 !== sha256) this.damaged.push(path);
  }

  #tell(count: number): void {
    this.#bytesRead += count;
    const progress = { files: this.#files.size, filesTotal: this.#filesTotal };
    this.#request.onProgress({ ...progress, bytesRead: this.#bytesRead });
  }
}
