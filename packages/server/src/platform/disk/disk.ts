/**
 * The disk as the tape uses it. Written data is safe only after `sync` of its file, and a name (new, renamed or
 * removed) only after `syncDirectory` of its directory. Adapters guarantee no more than that, and the simulated disk
 * drops everything else at a crash.
 */

import { MIB } from '@tapeloom/core/units';

/** Suffix of unfinished files; they may be removed at a start. */
export const UNFINISHED_SUFFIX = '.tmp';
const READ_BYTES_MAX = 4 * MIB;

/** `read` an existing file; `write` an existing one as well; `create` a new one, or truncate an existing one. */
export type OpenMode = 'read' | 'write' | 'create';

export interface DiskFile extends AsyncDisposable {
  /** Writes all bytes at this position. If it rejects, any part of them may be written. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills `into` from this position; returns the number of bytes read. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Content and size are on the disk itself once this resolves (fdatasync). */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
}

export interface DiskEntry {
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Changes when the content is changed or replaced. */
  readonly version: string;
}

export interface DiskSpace {
  /** The space available to this process. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface Disk {
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Replaces an existing `to` atomically. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Once this resolves, the directory and all its parents exist on disk. */
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Names in a directory, sorted; none if the directory does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** Null without such an entry. */
  stat(path: string): Promise<DiskEntry | null>;
  /** The space of the file system of a directory; null if the platform does not report it. */
  space(path: string): Promise<DiskSpace | null>;
}

/** The whole file; null without one. */
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
