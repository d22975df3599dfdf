/**
 * The disk as the tape needs it. Nothing written is safe before `sync` of its file resolved, and no
 * name (new, renamed or removed) before `syncDirectory` of its directory did: adapters promise no more
 * than that, and the simulated disk takes away everything else at a crash.
 */

import { MIB } from '@tapeloom/core/units';

/** Suffix of files that are not finished; whoever finds one at start may remove it. */
export const UNFINISHED_SUFFIX = '.tmp';
const READ_BYTES_MAX = 4 * MIB;

/** `read` an existing file; `write` an existing one as well; `create` a new one, or an emptied one. */
export type OpenMode = 'read' | 'write' | 'create';

export interface DiskFile extends AsyncDisposable {
  /** Writes all bytes at this position, or rejects having written any part of them. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills `into` from this position; returns how many bytes there were. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Content and size are on the disk itself once this resolves (fdatasync). */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
}

export interface DiskEntry {
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Another one after the content was changed, or replaced. */
  readonly version: string;
}

export interface DiskSpace {
  /** What this process may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface Disk {
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Replaces `to` when it exists, in one step. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The directory and all above it exist and are on disk once this resolves. */
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Names in a directory, sorted; none when the directory does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** Null when there is no such entry. */
  stat(path: string): Promise<DiskEntry | null>;
  /** Of the file system a directory lies on; null where the platform cannot say. */
  space(path: string): Promise<DiskSpace | null>;
}

/** The whole file, or null when there is none. */
export async function readFileWhole(disk: Disk, path: string): Promise<Uint8Array | null> {
  const entry = await disk.stat(path);
  if (entry === null) return null;
  await using file = await disk.open(path, 'read');
  const bytes = new Uint8Array(entry.size);
  let filled = 0;
  while (filled < bytes.length) {
    const end = Math.min(filled + READ_BYTES_MAX, bytes.length);
    const count = await file.read(bytes.subarray(filled, end), filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** Writes beside, syncs, renames: after a crash the file has its old content or all of the new. */
export async function replaceFile(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const unfinished = path + UNFINISHED_SUFFIX;
  {
    await using file = await disk.open(unfinished, 'create');
    await file.write(bytes, 0);
    await file.sync();
  }
  await disk.rename(unfinished, path);
  await disk.syncDirectory(path.slice(0, path.lastIndexOf('/')));
}
