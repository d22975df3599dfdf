/** Compares the contents of a folder of backups with their records, byte by byte. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupRefusedError } from '../../accounts/store/sqlite/backup.ts';
import {
  type BackupFile,
  contentPath,
  copyPieces,
  readRecord,
  recordNames,
} from './backup-folder.ts';

export interface BackupCheck {
  readonly records: number;
  readonly contents: number;
  readonly bytes: number;
  readonly findings: readonly BackupFinding[];
}

export interface BackupFinding {
  readonly file: string;
  readonly what: string;
}

export async function checkBackups(
  folder: string,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (count: number) => void },
): Promise<BackupCheck> {
  const names = await recordNames(folder);
  if (names.length === 0) throw new BackupRefusedError(`there is no backup in ${folder}`);
  const findings: BackupFinding[] = [];
  const files = new Map<string, BackupFile>();
  for (const name of names) {
    try {
      for (const file of (await readRecord(folder, name)).files) files.set(file.sha256, file);
    } catch (error) {
      findings.push({ file: join(folder, name), what: messageOf(error) });
    }
  }
  let bytes = 0;
  for (const file of files.values()) {
    signal.throwIfAborted();
    const what = await contentFault(folder, file, onBytes);
    if (what !== null) findings.push({ file: contentPath(folder, file.sha256), what });
    bytes += file.bytes;
  }
  return { records: names.length, contents: files.size, bytes, findings };
}

/** Null if the content matches the record. */
async function contentFault(
  folder: string,
  { path, bytes, sha256 }: BackupFile,
  onBytes: (count: number) => void,
): Promise<string | null> {
  try {
    await using file = await open(contentPath(folder, sha256), 'r');
    const { size } = await file.stat();
    if (size !== bytes) return `${path} has ${size} bytes, not ${bytes}`;
    const hash = createHash('sha256');
    const isWhole = await copyPieces(file, null, bytes, hash, onBytes);
    return isWhole && hash.digest('hex') === sha256 ? null : `${path} does not match its SHA-256`;
  } catch (error) {
    return `${path}: ${messageOf(error)}`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
