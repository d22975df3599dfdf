/**
 * A disk cache of settled results of complete sealed days: one file per contract, day, indicator, parameters and
 * computation. A hit was computed from exactly the requested inputs. Writers write beside under unique names and
 * rename, and only the time of last use changes in place, so threads and processes may share a directory. Nothing is
 * synced, so no work waits for the disk; checksums detect files torn by a crash. Cache failures never reach a reader.
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

/** The limits on results waiting to be written. */
const WAITING_MAX = { count: 512, bytes: 32 * 1024 * 1024 } as const;
/** A result above this share of the limit is not cached. */
const SHARE_MAX = 1 / 8;
/** After writing this share of the limit, the directory is measured and trimmed if necessary. */
const TRIM_EVERY = 1 / 32;
const TRIM_TO = 15 / 16;
/** The resolution of the time of last use. */
const USE_STEP_MS = 60_000;
/** The limit on files whose last use is in memory. */
const USES_MAX = 1_024;

export const CACHE_COUNTS = [
  'hits',
  'misses',
  /** Found, but computed from other inputs; removed. */
  'stale',
  /** Found, but damaged; removed. */
  'damaged',
  'kept',
  'keptBytes',
  /** Not cached, because writing did not keep up or the result was too large. */
  'skipped',
  /** Not cached, found or removed, because of a disk failure. */
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
  /** Unique among the concurrent writers of this directory: process and thread. */
  readonly writer: string;
  /** Shared counters; default: its own. */
  readonly counters?: CacheCounters;
  /** Resolves about when the caller has its result; writing starts then. */
  readonly served?: () => Promise<unknown>;
}

export class ResultCache implements AsyncDisposable {
  readonly counters: CacheCounters;
  readonly #options: ResultCacheOptions;
  readonly #waiting = { count: 0, bytes: 0 };
  readonly #writing = new SerialQueue();
  #writes = 0;
  /** By file, when its use was last recorded, for results that are used from memory. */
  readonly #uses = new Map<string, number>();
  /** Bytes written since the directory was last measured; infinite at first, because its size is unknown. */
  #untrimmedBytes = Number.POSITIVE_INFINITY;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
    this.counters = options.counters ?? newCounters();
  }

  /** The day's result; null unless it is cached and was computed from exactly these inputs. */
  async find(key: ResultKey, inputs: ResultInputs): Promise<WholeDay | null> {
    const found = await this.#read(key, inputs);
    if (found === null) this.counters.misses += 1;
    else this.counters.hits += 1;
    return found;
  }

  /** The number of updates that `find` would give; reads only the head of the file. */
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

  /** Records a use of a result that the reader has in memory. */
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

  /**
   * Caches a result in the background, one at a time; results that arrive faster are dropped. Null: the result is too
   * large and no longer complete.
   */
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

  /** Resolves when all queued writes are done or have failed. */
  async settled(): Promise<void> {
    await this.#writing.idle;
  }

  /** If the directory exceeds its limit, evicts the least recently used results until it has `TRIM_TO` of it. */
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
        // Another writer may have replaced the file during the read.
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

/** Null if the bytes are not a result of this key. */
function decode(
  file: Uint8Array,
  key: ResultKey,
): { readonly inputs: ResultInputs; readonly result: WholeDay } | null {
  try {
    const { header, result } = decodeResult(file);
    return isOf(header, key) ? { inputs: header.inputs, result } : null;
  } catch {
    // Whatever failed, these bytes are not what was written.
    return null;
  }
}

function isOf(header: ResultHeader, key: ResultKey): boolean {
  const { dataset, contract, day, indicator, params, fingerprint } = header;
  const named = { dataset, contract, day, indicator, params, fingerprint };
  return isDeepStrictEqual(named, { ...key });
}
