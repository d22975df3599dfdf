/** Resolves paths and patterns to files, and sorts them by their first trade, the order of import. */

import { glob } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import type { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import type { FeedHints, OpenFeed } from '@tapeloom/server/feeds/open-feed';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { UsageError } from '../command.ts';

const PATTERN = /[*?[\]{}]/;

/** Each file once, in the order of the arguments. */
export async function foundFiles(disk: Disk, words: readonly string[]): Promise<readonly string[]> {
  const files = new Set<string>();
  for (const word of words) {
    if (!PATTERN.test(word) || (await disk.stat(resolve(word))) !== null) {
      files.add(resolve(word));
      continue;
    }
    const found = (await Array.fromAsync(glob(word))).sort();
    if (found.length === 0) throw new UsageError(`no file matches ${word}`);
    for (const file of found) {
      const entry = await disk.stat(resolve(file));
      if (entry?.kind === 'file') files.add(resolve(file));
    }
  }
  return [...files];
}

/** An open file, read up to the size it had when opened. */
export interface OpenedFile extends AsyncDisposable {
  readonly feed: OpenFeed;
  readonly size: number;
  readonly bytesRead: () => number;
  /** Rejects if the file has been written meanwhile. */
  readonly requireUnchanged: () => Promise<void>;
}

/** Rejects with a `FeedError` that describes the fault. `feeds` reads one file at a time. */
export async function openFile(
  disk: Disk,
  path: string,
  hints: FeedHints,
  feeds: FeedThread,
): Promise<OpenedFile> {
  const entry = await disk.stat(path);
  if (entry === null) throw new FeedError('The file does not exist.');
  if (entry.kind !== 'file') throw new FeedError('This is a directory: name a file in it.');
  const feed = await feeds.open(path, entry.size, hints);
  return {
    feed,
    size: entry.size,
    bytesRead: () => Math.min(feed.bytesRead(), entry.size),
    requireUnchanged: async () => {
      if ((await disk.stat(path))?.version === entry.version) return;
      throw new FeedError('The file was changed while it was read. Import it when it is finished.');
    },
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
}

/** Reads each file's first trade to sort by it; a file without trades comes last. */
export async function inOrder(
  disk: Disk,
  files: readonly string[],
  hints: FeedHints,
  feeds: FeedThread,
): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const begins: { readonly path: string; readonly first: EpochNs | null }[] = [];
  for (const path of files) {
    begins.push({ path, first: await named(path, () => firstTrade(disk, path, hints, feeds)) });
  }
  return begins
    .sort((a, b) =>
      a.first === b.first
        ? 0
        : b.first === null || (a.first !== null && a.first < b.first)
          ? -1
          : 1,
    )
    .map(({ path }) => path);
}

async function firstTrade(
  disk: Disk,
  path: string,
  hints: FeedHints,
  feeds: FeedThread,
): Promise<EpochNs | null> {
  await using opened = await openFile(disk, path, hints, feeds);
  for await (const { count, days, ns } of opened.feed.trades()) {
    if (count > 0) return epochNs(days[0]! as UtcDay, ns[0]!);
  }
  return null;
}

export class FileFault extends Error {
  readonly fileName: string;
  override readonly cause: FeedError;

  constructor(path: string, cause: FeedError) {
    super(`${basename(path)}: ${cause.message}`);
    this.fileName = basename(path);
    this.cause = cause;
  }
}

/** Runs `work` on a file; a `FeedError` becomes a `FileFault`. */
export async function named<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FeedError ? new FileFault(path, error) : error;
  }
}
