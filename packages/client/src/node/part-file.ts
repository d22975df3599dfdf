/**
 * A file in the making, beside its final path: `<path>.part` has the bytes so far, `<path>.part.json` the record for a
 * resume. The record never claims more than is synced to disk; bytes beyond it are cut off. Only a complete file gets
 * the final name.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExportPlace } from '../export/export-reading.ts';
import { TapeloomError } from '../tapeloom-error.ts';

export interface PartRecord {
  readonly version: 1;
  /** Digest of the export request. */
  readonly request: string;
  /** Lets a repeated request count as the same one. */
  readonly idempotencyKey: string;
  /** How far the download is; null until the service has responded. */
  readonly place: ExportPlace | null;
  /** All bytes are there; only the rename is missing. */
  readonly isWhole: boolean;
}

export class PartFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #length: number;

  private constructor(path: string, file: FileHandle, length: number) {
    this.#path = path;
    this.#file = file;
    this.#length = length;
  }

  /** The record of an earlier program; null if there is none. */
  static async recordOf(path: string): Promise<PartRecord | null> {
    const text = await readFile(recordPath(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    try {
      const record = JSON.parse(text) as PartRecord;
      if (record.version === 1 && typeof record.idempotencyKey === 'string') return record;
    } catch {
      // Not a record of ours: see below.
    }
    throw new TapeloomError(
      'CONFIGURATION',
      `${recordPath(path)} is not what an export left behind: delete it, or save to another path.`,
    );
  }

  /** Opens the file to append after its first `length` bytes; the rest is cut off. */
  static async open(path: string, length: number): Promise<PartFile> {
    const file = await open(partPath(path), length === 0 ? 'w' : 'r+');
    try {
      const { size } = await file.stat();
      if (size < length) {
        throw new TapeloomError(
          'CONFIGURATION',
          `${partPath(path)} is shorter than it was: delete it and ${recordPath(path)}, and begin anew.`,
        );
      }
      await file.truncate(length);
      return new PartFile(path, file, length);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#length);
      at += bytesWritten;
      this.#length += bytesWritten;
    }
  }

  /** Syncs the bytes written so far, then the record, so that both survive a crash. */
  async keep(record: PartRecord): Promise<void> {
    await this.#file.datasync();
    await PartFile.note(this.#path, record);
  }

  static async note(path: string, record: PartRecord): Promise<void> {
    const fresh = freshPath(path);
    const file = await open(fresh, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(record)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(fresh, recordPath(path));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Renames the complete file. It may already have its name, if an earlier program stopped after the rename. */
  static async finish(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
    await rename(partPath(path), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const piece of createReadStream(path)) {
      digest.update(piece as Buffer);
      bytes += (piece as Buffer).length;
    }
    await syncFolderOf(path);
    for (const name of [freshPath(path), recordPath(path)]) await rm(name, { force: true });
    return { bytes, sha256: digest.digest('hex') };
  }

  static async remove(path: string): Promise<void> {
    for (const name of [freshPath(path), recordPath(path), partPath(path)])
      await rm(name, { force: true });
  }
}

function partPath(path: string): string {
  return `${path}.part`;
}

function recordPath(path: string): string {
  return `${path}.part.json`;
}

/** A record being written. A killed program leaves it behind. */
function freshPath(path: string): string {
  return `${recordPath(path)}.new`;
}

/** Syncs the folder, so that the new name survives a power failure. Not every system supports that. */
async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
