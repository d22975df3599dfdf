/**
 * The files of the result cache for operators: listing and removing them. This may run beside services that use the
 * same directory; files that vanish meanwhile are skipped.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Params } from '@tapeloom/core/studies/indicator';
import { type Disk, type DiskFile, UNFINISHED_SUFFIX } from '../platform/disk/disk.ts';
import { isSafeName } from '../tape/tape-paths.ts';
import {
  CacheDamagedError,
  PREFIX_BYTES,
  type ResultHeader,
  type ResultKey,
  readHeader,
  readPrefix,
} from './result-cache-file.ts';

/** The folder below the cache's root, which other caches may share. */
const FOLDER = 'settled';
const RESULT_SUFFIX = '.result';
const DAY_DIGITS = 8;
/** Enough for nearly all headers. */
const HEAD_BYTES = 4_096;

export interface CacheEntry {
  readonly path: string;
  readonly dataset: string;
  readonly contract: string;
  readonly bytes: number;
  /** Null if the file is not a readable result. */
  readonly about: {
    readonly day: UtcDay;
    readonly indicator: string;
    readonly params: Params;
    readonly fingerprint: string;
    readonly lines: number;
    readonly lastUsedMs: number;
  } | null;
}

export interface CacheFilter {
  readonly dataset?: string;
  readonly contract?: string;
  readonly indicator?: string;
}

export interface CacheStatistics {
  readonly entries: number;
  readonly bytes: number;
  readonly damaged: number;
  readonly unfinished: number;
  readonly oldestUseMs: number | null;
  readonly newestUseMs: number | null;
}

/** The folder of a contract's results; null if a name is no safe directory name. */
export function resultsDirectory(
  root: string,
  { dataset, contract }: Pick<ResultKey, 'dataset' | 'contract'>,
): string | null {
  if (!isSafeName(dataset) || !isSafeName(contract)) return null;
  return `${root}/${FOLDER}/${dataset}/${contract}`;
}

export function resultName({ day, indicator }: ResultKey, digest: string): string {
  return `${day}-${indicator}-${digest}${RESULT_SUFFIX}`;
}

/** Every matching entry, ordered by dataset, contract, day and indicator. */
export async function* listCache(
  disk: Disk,
  root: string,
  filter: CacheFilter = {},
): AsyncGenerator<CacheEntry> {
  for await (const file of resultFiles(disk, root)) {
    if (!file.path.endsWith(RESULT_SUFFIX) || !fits(file, filter)) continue;
    const entry = await readEntry(disk, file);
    if (entry === null) continue;
    if (filter.indicator !== undefined && entry.about?.indicator !== filter.indicator) continue;
    yield entry;
  }
}

export async function cacheStatistics(disk: Disk, root: string): Promise<CacheStatistics> {
  let [entries, bytes, damaged, unfinished] = [0, 0, 0, 0];
  const uses: number[] = [];
  for await (const entry of listCache(disk, root)) {
    entries += 1;
    bytes += entry.bytes;
    if (entry.about === null) damaged += 1;
    else uses.push(entry.about.lastUsedMs);
  }
  for await (const { path } of resultFiles(disk, root)) {
    if (path.endsWith(UNFINISHED_SUFFIX)) unfinished += 1;
  }
  uses.sort((a, b) => a - b);
  return {
    entries,
    bytes,
    damaged,
    unfinished,
    oldestUseMs: uses[0] ?? null,
    newestUseMs: uses.at(-1) ?? null,
  };
}

/** Removes matching entries and yields each one; without a filter, unfinished files too. */
export async function* clearCache(
  disk: Disk,
  root: string,
  filter: CacheFilter = {},
): AsyncGenerator<CacheEntry> {
  for await (const entry of listCache(disk, root, filter)) {
    if (await removeFile(disk, entry.path)) yield entry;
  }
  const isAll = Object.values(filter).every((value) => value === undefined);
  if (isAll) await removeUnfinished(disk, root);
}

/** Removes the results of a contract's days before `keptFrom`; resolves to their number. */
export async function clearResultsBefore(
  disk: Disk,
  root: string,
  contract: Pick<ResultKey, 'dataset' | 'contract'>,
  keptFrom: UtcDay,
): Promise<number> {
  const directory = resultsDirectory(root, contract);
  if (directory === null) return 0;
  let removed = 0;
  for (const name of await disk.list(directory)) {
    const day = Number(name.slice(0, DAY_DIGITS));
    if (!name.endsWith(RESULT_SUFFIX) || !(day < keptFrom)) continue;
    if (await removeFile(disk, `${directory}/${name}`)) removed += 1;
  }
  return removed;
}

/** Removes what crashed writers left behind. A running writer that loses its file only fails to cache a result. */
export async function removeUnfinished(disk: Disk, root: string): Promise<number> {
  let removed = 0;
  for await (const { path } of resultFiles(disk, root)) {
    if (path.endsWith(UNFINISHED_SUFFIX) && (await removeFile(disk, path))) removed += 1;
  }
  return removed;
}

export interface ResultFile {
  readonly path: string;
  readonly dataset: string;
  readonly contract: string;
}

export async function* resultFiles(disk: Disk, root: string): AsyncGenerator<ResultFile> {
  const top = `${root}/${FOLDER}`;
  for (const dataset of (await disk.list(top)).filter(isSafeName)) {
    for (const contract of (await disk.list(`${top}/${dataset}`)).filter(isSafeName)) {
      const directory = `${top}/${dataset}/${contract}`;
      for (const name of await disk.list(directory)) {
        yield { path: `${directory}/${name}`, dataset, contract };
      }
    }
  }
}

/** False if the file was gone already. */
export async function removeFile(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.remove(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** When a file was last used; null if it is no result, or gone. */
export async function lastUseOf(disk: Disk, path: string): Promise<number | null> {
  return (await readHead(disk, path))?.lastUsedMs ?? null;
}

function fits({ dataset, contract }: ResultFile, filter: CacheFilter): boolean {
  if (filter.dataset !== undefined && filter.dataset !== dataset) return false;
  return filter.contract === undefined || filter.contract === contract;
}

async function readEntry(disk: Disk, file: ResultFile): Promise<CacheEntry | null> {
  const found = await disk.stat(file.path);
  if (found === null) return null;
  const head = await readHead(disk, file.path);
  if (head === null) return { ...file, bytes: found.size, about: null };
  const { day, indicator, params, fingerprint, blocks } = head.header;
  const { lastUsedMs } = head;
  const lines = blocks.reduce((sum, { count }) => sum + count, 0);
  const about = { day, indicator, params, fingerprint, lines, lastUsedMs };
  return { ...file, bytes: found.size, about };
}

/** The header and the last use; null if the file is no result, or gone. */
export async function readHead(
  disk: Disk,
  path: string,
): Promise<{ readonly header: ResultHeader; readonly lastUsedMs: number } | null> {
  try {
    await using file = await disk.open(path, 'read');
    const first = await readPart(file, HEAD_BYTES);
    const { lastUsedMs, headerBytes } = readPrefix(first);
    const length = PREFIX_BYTES + headerBytes;
    const head = length > first.length ? await readPart(file, length) : first;
    return { header: readHeader(head), lastUsedMs };
  } catch (error) {
    if (error instanceof CacheDamagedError || isAbsent(error)) return null;
    throw error;
  }
}

async function readPart(file: DiskFile, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, await file.read(bytes, 0));
}
