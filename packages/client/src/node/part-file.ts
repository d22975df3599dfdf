/**
 * A file that is being made, beside the place where it will be: `<path>.part` with what is there of it, and
 * `<path>.part.json` with what must be known to go on. What the second one says is on disk before it says so;
 * whatever stands in the first beyond that is cut off. Only a whole file gets its own name.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExportPlace } from '../export/export-reading.ts';
import { TapeloomError } from '../tapeloom-error.ts';

/** What is known of a file that is being made. */
export interface PartRecord {
  readonly version: 1;
  /** Of the request it is the answer to. */
  readonly request: string;
  /** Makes a request that is sent again the same one. */
  readonly idempotencyKey: string;
  /** How far it is; null until the service has answered. */
  readonly place: ExportPlace | null;
  /** Nothing is missing but its name. */
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

  /** What an earlier program left; null where there is nothing that can be gone on with. */
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
      // It was not written by this: see below.
    }
    throw new TapeloomError(
      'CONFIGURATION',
      `${recordPath(path)} is not what an export left behind: delete it, or save to another path.`,
    );
  }

  /** Opens it for what comes after its first `length` bytes; the rest is cut off. */
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

  /** What was written so far, and how far that is, will be there after any end of this program. */
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

  /** A whole file gets its name; also one that an earlier program had named already. */
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

/** A record that is being written; a program that is killed leaves it behind. */
function freshPath(path: string): string {
  return `${recordPath(path)}.new`;
}

/** So that the new name outlives a failure of power. Not every system can do that to a folder. */
async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
