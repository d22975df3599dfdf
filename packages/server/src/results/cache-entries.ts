/**
 * The files of the result cache, as an operator sees them: what there is, and taking some of it away. It
 * may run beside services that use the same directory; what goes while it looks is passed over.
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

/** Below the cache's root, beside whatever else may be cached there. */
const FOLDER = 'settled';
const RESULT_SUFFIX = '.result';
/** Names begin with the day. */
const DAY_DIGITS = 8;
/** Nearly all headers are shorter. */
const HEAD_BYTES = 4_096;

export interface CacheEntry {
  readonly path: string;
  readonly dataset: string;
  readonly contract: string;
  readonly bytes: number;
  /** Null when the file cannot be read as a result. */
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

/** Where the results of a contract lie; null when a name cannot be that of a directory. */
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

/** Every entry that fits, ordered by dataset, contract, day and indicator. */
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

/** Takes away what fits, told one by one as it goes; what is unfinished too when everything goes. */
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

/** Takes away the results of a contract's days before `keptFrom`; resolves to how many there were. */
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

/** What writers that died left behind; a living one that loses its file this way only does not keep it. */
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

/** All files, finished or not. */
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

/** False when somebody else was faster. */
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

/** When a file was used last; null when it is none, or gone. */
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

/** What the beginning of a file says; null when it is none, or gone. */
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
