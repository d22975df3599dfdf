/**
 * Pages in a folder that any number of processes share. Each page is a file, written under a temporary name and
 * renamed, and it is used only if its digest matches. So a kill, a full disk or a failing disk never yields a wrong
 * page. The size is bounded: least recently used pages are evicted first. Other files in the folder are left alone.
 */

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const PAGE = /^[0-9a-f]{64}\.page$/;
const DRAFT = /^[0-9a-f]{64}\.[0-9a-f-]{36}\.new$/;
/** No process can still be writing a draft of this age, in milliseconds. */
const DRAFT_MS_MAX = 3_600_000;
/** Disks allocate space in blocks. */
const BLOCK_BYTES = 4_096;
/** A process measures the folder again after it has written this share of the folder's limit. */
const LOOK_EVERY = 1 / 16;
/**
 * Above `FULL`, pages are evicted down to `LEFT`. What one process writes between two measurements fits into the
 * margin.
 */
const FULL = 7 / 8;
const LEFT = 3 / 4;
const HEAD_BYTES_MAX = 1_024;
/** Real pages have 16 MiB at most. */
export const PAGE_BYTES_MAX = 64 * 1024 * 1024;

const packed = promisify<Uint8Array, { level: number }, Buffer>(gzip);
const unpacked = promisify<Uint8Array, { maxOutputLength: number }, Buffer<ArrayBuffer>>(gunzip);

export interface KeptPage {
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

interface Head {
  readonly version: 1;
  readonly name: string;
  readonly etag: string;
  /** Of the tag and the compressed page. */
  readonly sha256: string;
}

export class PageFolder {
  readonly #path: string;
  readonly #bytesMax: number;
  /** Bytes that this process wrote since it last measured the folder; null before the first time. */
  #written: number | null = null;
  #looking: Promise<void> | null = null;

  constructor(path: string, bytesMax: number) {
    this.#path = path;
    this.#bytesMax = bytesMax;
  }

  /** Null: no such page, or a damaged one. */
  async read(name: string): Promise<KeptPage | null> {
    const path = this.#pathOf(name);
    const bytes = await readFile(path).catch(absent);
    if (bytes === null) return null;
    const page = await readPage(name, bytes);
    if (page === null) await rm(path, { force: true });
    return page;
  }

  /** Marks the page as recently used. */
  async touch(name: string): Promise<void> {
    const now = new Date();
    await utimes(this.#pathOf(name), now, now).catch(absent);
  }

  async write(name: string, { etag, body }: KeptPage): Promise<void> {
    const content = await packed(body, { level: 4 });
    const head: Head = { version: 1, name, etag, sha256: digestOf(etag, content) };
    const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);
    if (roomOf(bytes.length) > this.#bytesMax * LOOK_EVERY) return;
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const draft = join(this.#path, `${name}.${randomUUID()}.new`);
    try {
      await writeFile(draft, bytes, { flag: 'wx', mode: 0o600 });
      await rename(draft, this.#pathOf(name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await this.#keepWithin(roomOf(bytes.length));
  }

  #pathOf(name: string): string {
    return join(this.#path, `${name}.page`);
  }

  async #keepWithin(bytes: number): Promise<void> {
    const written = (this.#written ?? Number.POSITIVE_INFINITY) + bytes;
    this.#written = written;
    if (written <= this.#bytesMax * LOOK_EVERY) return;
    this.#looking ??= this.#makeRoom().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  async #makeRoom(): Promise<void> {
    this.#written = 0;
    const files: { readonly path: string; readonly room: number; readonly usedMs: number }[] = [];
    let room = 0;
    for (const name of await readdir(this.#path)) {
      const isDraft = DRAFT.test(name);
      if (!isDraft && !PAGE.test(name)) continue;
      const path = join(this.#path, name);
      const found = await stat(path).catch(absent);
      if (found === null) continue;
      const { size, mtimeMs: usedMs } = found;
      if (isDraft && Date.now() - usedMs > DRAFT_MS_MAX) {
        await rm(path, { force: true });
        continue;
      }
      room += roomOf(size);
      if (!isDraft) files.push({ path, room: roomOf(size), usedMs });
    }
    if (room <= this.#bytesMax * FULL) return;
    files.sort((a, b) => a.usedMs - b.usedMs);
    for (const file of files) {
      if (room <= this.#bytesMax * LEFT) return;
      await rm(file.path, { force: true });
      room -= file.room;
    }
  }
}

async function readPage(name: string, bytes: Buffer): Promise<KeptPage | null> {
  const end = bytes.subarray(0, HEAD_BYTES_MAX).indexOf('\n');
  try {
    const head = JSON.parse(bytes.toString('utf8', 0, Math.max(0, end))) as Head;
    const content = bytes.subarray(end + 1);
    const { version, etag, sha256 } = head;
    const isWhole = version === 1 && head.name === name && sha256 === digestOf(etag, content);
    if (!isWhole) return null;
    return { etag, body: await unpacked(content, { maxOutputLength: PAGE_BYTES_MAX }) };
  } catch {
    return null;
  }
}

/** Another process may have removed the file. */
function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Includes the tag, since the service is asked to validate it. */
function digestOf(etag: string, content: Uint8Array): string {
  return createHash('sha256').update(etag).update(content).digest('hex');
}

function roomOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
