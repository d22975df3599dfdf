/**
 * Settled results of complete sealed days, kept on disk: one file per contract, day, indicator, parameters
 * and name of the computation. What is found was computed from exactly the inputs that are asked for, or it
 * is not found. Files are written beside and renamed, under names that no other writer uses, and never change
 * but for the time of their last use; so any number of threads and processes may share a directory. Nothing
 * is synced: what a crash of the machine tears is found out by its checksum, and it must not make others
 * wait for the disk.
 *
 * Over its size, the results used longest ago go first. Writing is done behind the reader's back, one
 * result at a time, with bounded memory; what comes faster is not kept. No failure here ever reaches a
 * reader: a result that cannot be had from the cache is computed.
 */

import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Disk,
  type DiskFile,
  readFileWhole,
  UNFINISHED_SUFFIX,
} from '../platform/disk/disk.ts';
import { freeMemory } from '../platform/memory/free-memory.ts';
import { SerialQueue } from '../platform/waiting/serial-queue.ts';
import type { ResultInputs } from '../runs/settled-inputs.ts';
import {
  isAbsent,
  lastUseOf,
  readHead,
  removeFile,
  resultFiles,
  resultName,
  resultsDirectory,
} from './cache-entries.ts';
import type { WholeDay } from './day-log.ts';
import {
  decodeResult,
  encodeResult,
  lastUse,
  type ResultHeader,
  type ResultKey,
  readPrefix,
} from './result-cache-file.ts';

/** Results waiting to be written, and what they take. */
const WAITING_MAX = { count: 512, bytes: 32 * 1024 * 1024 } as const;
/** A result of more than this share of the limit is not kept. */
const SHARE_MAX = 1 / 8;
/** After this share of the limit was written, the directory is looked through and trimmed if need be. */
const TRIM_EVERY = 1 / 32;
const TRIM_TO = 15 / 16;
/** Uses closer together than this are not told apart. */
const USE_STEP_MS = 60_000;
/** Files whose last use is known. */
const USES_MAX = 1_024;

export const CACHE_COUNTS = [
  'hits',
  'misses',
  /** Found, but computed from other inputs; removed. */
  'stale',
  /** Found, but not what was written; removed. */
  'damaged',
  'kept',
  'keptBytes',
  /** Not kept, because writing did not keep up or the result was too large. */
  'skipped',
  /** Not kept, found or removed, because the disk failed. */
  'failed',
  'trimmed',
  'trimmedBytes',
] as const;
export type CacheCounters = Record<(typeof CACHE_COUNTS)[number], number>;

export interface ResultCacheOptions {
  readonly disk: Disk;
  /** `<data>/cache`. */
  readonly root: string;
  readonly bytesMax: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A name that no other writer of this directory has at the same time: process and thread. */
  readonly writer: string;
  /** Where it counts, if others read that. */
  readonly counters?: CacheCounters;
  /** Resolves when who asked for a result has it, about: only then it is written. */
  readonly served?: () => Promise<unknown>;
}

export class ResultCache implements AsyncDisposable {
  /** Since the start of this writer. */
  readonly counters: CacheCounters;
  readonly #options: ResultCacheOptions;
  readonly #waiting = { count: 0, bytes: 0 };
  readonly #writing = new SerialQueue();
  #writes = 0;
  /** Of files whose results are in memory: when their use was told there. */
  readonly #uses = new Map<string, number>();
  /** Written since the directory was last looked through; at first it is not known what there is. */
  #untrimmedBytes = Number.POSITIVE_INFINITY;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
    this.counters = options.counters ?? newCounters();
  }

  /** The day's result, if it is there and was computed from exactly these inputs. */
  async find(key: ResultKey, inputs: ResultInputs): Promise<WholeDay | null> {
    const found = await this.#read(key, inputs);
    if (found === null) this.counters.misses += 1;
    else this.counters.hits += 1;
    return found;
  }

  /** What `find` would give has so many updates; only the head of its file is read. */
  async count(
    key: ResultKey,
    inputs: ResultInputs,
  ): Promise<{ updates: number; trades: number; isWarm: boolean } | null> {
    const { disk, root } = this.#options;
    const path = pathOf(root, key);
    try {
      const head = path === null ? null : await readHead(disk, path);
      if (head === null || !isOf(head.header, key)) return null;
      const { trades, isWarm, blocks } = head.header;
      if (!isDeepStrictEqual(head.header.inputs, inputs)) return null;
      return { updates: blocks.reduce((sum, { count }) => sum + count, 0), trades, isWarm };
    } catch {
      this.counters.failed += 1;
      return null;
    }
  }

  /** Its reader has it in memory: it is in use all the same. */
  async use(key: ResultKey): Promise<void> {
    const path = pathOf(this.#options.root, key);
    this.counters.hits += 1;
    if (path === null) return;
    try {
      await this.#use(path, this.#uses.get(path) ?? 0);
    } catch (error) {
      if (!isAbsent(error)) this.counters.failed += 1;
    }
  }

  /** Keeps a result, later; null: too large, it is not all there any more. */
  keep(key: ResultKey, inputs: ResultInputs, result: WholeDay | null): void {
    const waiting = this.#waiting;
    const bytes = result === null ? 0 : bytesOf(result);
    const isTooMuch = waiting.count > 0 && waiting.bytes + bytes > WAITING_MAX.bytes;
    if (result === null || isTooMuch || waiting.count >= WAITING_MAX.count) {
      this.counters.skipped += 1;
      return;
    }
    const served = this.#options.served?.();
    waiting.count += 1;
    waiting.bytes += bytes;
    void this.#writing.run(async () => {
      try {
        await served;
        const file = await encodeResult(key, inputs, result, this.#options.now());
        await this.#write(key, file);
        freeMemory(file.buffer);
      } catch {
        this.counters.failed += 1;
      } finally {
        waiting.count -= 1;
        waiting.bytes -= bytes;
      }
    });
  }

  /** Resolves when everything that was to be written so far is, or has failed. */
  async settled(): Promise<void> {
    await this.#writing.idle;
  }

  /** Brings the directory below its limit; whoever is used longest ago goes first. */
  async trim(): Promise<void> {
    const { disk, root, bytesMax } = this.#options;
    this.#untrimmedBytes = 0;
    const files: { readonly path: string; readonly bytes: number }[] = [];
    let total = 0;
    for await (const { path } of resultFiles(disk, root)) {
      const bytes = (await disk.stat(path))?.size ?? 0;
      files.push({ path, bytes });
      total += bytes;
    }
    if (total <= bytesMax) return;
    const uses: { readonly path: string; readonly bytes: number; readonly ms: number }[] = [];
    for (const file of files) {
      if (file.path.endsWith(UNFINISHED_SUFFIX)) continue;
      uses.push({ ...file, ms: (await lastUseOf(disk, file.path)) ?? 0 });
    }
    uses.sort((a, b) => a.ms - b.ms || (a.path < b.path ? -1 : 1));
    for (const { path, bytes } of uses) {
      if (total <= bytesMax * TRIM_TO) return;
      total -= bytes;
      if (!(await removeFile(disk, path))) continue;
      this.counters.trimmed += 1;
      this.counters.trimmedBytes += bytes;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }

  async #read(key: ResultKey, inputs: ResultInputs): Promise<WholeDay | null> {
    const { disk, root } = this.#options;
    const path = pathOf(root, key);
    if (path === null) return null;
    try {
      let file = await readFileWhole(disk, path);
      if (file === null) return null;
      let found = decode(file, key);
      if (found === null) {
        // Another writer may have put a new file there while the old one was read.
        file = await readFileWhole(disk, path);
        found = file === null ? null : decode(file, key);
      }
      if (file === null) return null;
      if (found === null || !isDeepStrictEqual(found.inputs, inputs)) {
        if (found === null) this.counters.damaged += 1;
        else this.counters.stale += 1;
        await removeFile(disk, path);
        return null;
      }
      await this.#use(path, readPrefix(file).lastUsedMs);
      return found.result;
    } catch (error) {
      if (!isAbsent(error)) this.counters.failed += 1;
      return null;
    }
  }

  async #use(path: string, lastUsedMs: number): Promise<void> {
    const now = this.#options.now();
    if (Math.abs(now - lastUsedMs) < USE_STEP_MS) return;
    this.#uses.delete(path);
    this.#uses.set(path, now);
    if (this.#uses.size > USES_MAX) this.#uses.delete(this.#uses.keys().next().value!);
    await using file = await this.#options.disk.open(path, 'write');
    const { bytes, position } = lastUse(now);
    await file.write(bytes, position);
  }

  async #write(key: ResultKey, file: Buffer): Promise<void> {
    const { disk, root, bytesMax, writer } = this.#options;
    const path = pathOf(root, key);
    if (path === null || file.length > bytesMax * SHARE_MAX) {
      this.counters.skipped += 1;
      return;
    }
    const directory = path.slice(0, path.lastIndexOf('/'));
    this.#writes += 1;
    const unfinished = `${path}.${writer}-${this.#writes}${UNFINISHED_SUFFIX}`;
    {
      await using beside = await this.#create(directory, unfinished);
      await beside.write(file, 0);
    }
    await disk.rename(unfinished, path);
    this.counters.kept += 1;
    this.counters.keptBytes += file.length;
    this.#untrimmedBytes += file.length;
    if (this.#untrimmedBytes >= bytesMax * TRIM_EVERY) await this.trim();
  }

  async #create(directory: string, path: string): Promise<DiskFile> {
    const { disk } = this.#options;
    try {
      return await disk.open(path, 'create');
    } catch (error) {
      if (!isAbsent(error)) throw error;
      await disk.makeDirectory(directory);
      return await disk.open(path, 'create');
    }
  }
}

function bytesOf({ blocks, tail }: WholeDay): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes, tail.memory.byteLength);
}

function newCounters(): CacheCounters {
  return Object.fromEntries(CACHE_COUNTS.map((name) => [name, 0])) as CacheCounters;
}

function pathOf(root: string, key: ResultKey): string | null {
  const directory = resultsDirectory(root, key);
  return directory === null ? null : `${directory}/${resultName(key, keyDigest(key))}`;
}

function keyDigest(key: ResultKey): string {
  const { dataset, contract, day, indicator, params, fingerprint } = key;
  const text = JSON.stringify([dataset, contract, day, indicator, params, fingerprint]);
  return hash('sha256', text, 'hex').slice(0, 32);
}

/** Null when these are not the bytes of a result of this key. */
function decode(
  file: Uint8Array,
  key: ResultKey,
): { readonly inputs: ResultInputs; readonly result: WholeDay } | null {
  try {
    const { header, result } = decodeResult(file);
    return isOf(header, key) ? { inputs: header.inputs, result } : null;
  } catch {
    // Whatever it is that does not fit, these bytes are not what was written.
    return null;
  }
}

function isOf(header: ResultHeader, key: ResultKey): boolean {
  const { dataset, contract, day, indicator, params, fingerprint } = header;
  const named = { dataset, contract, day, indicator, params, fingerprint };
  return isDeepStrictEqual(named, { ...key });
}
