/** The machine's disk, through Node's asynchronous calls: none of them blocks the thread. */

import { type FileHandle, open, readdir, rename, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Disk, DiskEntry, DiskFile, DiskSpace, OpenMode } from './disk.ts';
import { makeDirectories } from './make-directories.ts';
import { syncDirectory } from './sync-directory.ts';

const OPEN_FLAGS: Readonly<Record<OpenMode, string>> = { read: 'r', write: 'r+', create: 'w+' };

export class NodeDisk implements Disk {
  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    return new NodeDiskFile(await open(path, OPEN_FLAGS[mode]));
  }

  rename(from: string, to: string): Promise<void> {
    return rename(from, to);
  }

  remove(path: string): Promise<void> {
    return unlink(path);
  }

  async makeDirectory(path: string): Promise<void> {
    const first = (await makeDirectories(path)) ?? path;
    // An existing directory may come from a process that died before it synced the parent.
    const stop = dirname(first);
    for (let made = path; made !== stop; made = dirname(made)) {
      await this.syncDirectory(dirname(made));
    }
  }

  syncDirectory(path: string): Promise<void> {
    return syncDirectory(path);
  }

  async list(path: string): Promise<readonly string[]> {
    try {
      return (await readdir(path)).sort();
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async stat(path: string): Promise<DiskEntry | null> {
    try {
      const found = await stat(path);
      const { ino, ctimeMs, size } = found;
      const kind = found.isDirectory() ? 'directory' : 'file';
      return { kind, size, version: `${ino} ${ctimeMs} ${size}` };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async space(path: string): Promise<DiskSpace | null> {
    try {
      const { bavail, blocks, bsize } = await statfs(path);
      // A file system that reports no size reports nothing useful.
      return blocks === 0 ? null : { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch (error) {
      if (SPACE_UNKNOWN.has(String((error as NodeJS.ErrnoException).code))) return null;
      throw error;
    }
  }
}

/** Some file systems do not support the call, and some platforms do not have it. */
const SPACE_UNKNOWN = new Set(['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM']);

class NodeDiskFile implements DiskFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const rest = bytes.length - done;
      done += (await this.#handle.write(bytes, done, rest, position + done)).bytesWritten;
    }
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const rest = into.length - done;
      const { bytesRead } = await this.#handle.read(into, done, rest, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  truncate(size: number): Promise<void> {
    return this.#handle.truncate(size);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close();
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
