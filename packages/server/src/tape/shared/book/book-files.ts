/** A shared tape's book as files, read like those of a single machine. Only the leader makes a book from its files. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole, replaceFile } from '../../../platform/disk/disk.ts';
import type { ContractRemoval } from '../../remove/plan-removal.ts';
import { removeLive } from '../../remove/remove-live.ts';
import type { TapeBook } from '../../stream/tape-book.ts';
import type { TapeManifest } from '../../tape-manifest.ts';
import { isSafeName, sessionsDirectory, sourcePath } from '../../tape-paths.ts';
import { CopyDiffersError } from '../shared-errors.ts';

export interface BookPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly manifest: TapeManifest;
}

/** The part of a book that is stored in files. */
export async function readBookFiles({
  disk,
  tapeRoot,
  dataset,
}: BookPlace): Promise<Pick<TapeBook, 'source' | 'sessions'>> {
  const directory = sessionsDirectory(tapeRoot, dataset);
  const sessions: Record<string, string> = {};
  for (const name of await disk.list(directory)) {
    if (!name.endsWith('.json')) continue;
    sessions[name.slice(0, -'.json'.length)] = (await readText(disk, `${directory}/${name}`))!;
  }
  return { source: await readText(disk, sourcePath(tapeRoot, dataset)), sessions };
}

/** Writes the book to files; resolves to removed days. Rejects with `CopyDiffersError` when files contradict it. */
export async function writeBookFiles(
  place: BookPlace,
  book: TapeBook,
): Promise<readonly ContractRemoval[]> {
  const { disk, tapeRoot, dataset, manifest } = place;
  if (book.dataset !== dataset) throw new CopyDiffersError(`it is of ${book.dataset}`);
  for (const [symbol, days] of Object.entries(book.days)) {
    for (const [day, { digest }] of Object.entries(days)) {
      const own = manifest.digestOf(symbol, Number(day) as UtcDay);
      if (own === null || own === digest) continue;
      throw new CopyDiffersError(`${symbol} ${day} has other trades than the cluster's`);
    }
  }
  const files = await readBookFiles(place);
  if (book.source !== null && files.source !== null && book.source !== files.source) {
    throw new CopyDiffersError(
      `it was begun with ${files.source}, the cluster's with ${book.source}`,
    );
  }
  if (book.source !== null && files.source === null) {
    await replaceFile(disk, sourcePath(tapeRoot, dataset), encode(book.source));
  }
  for (const [calendar, text] of Object.entries(book.sessions)) {
    if (!isSafeName(calendar) || files.sessions[calendar] === text) continue;
    const path = `${sessionsDirectory(tapeRoot, dataset)}/${calendar}.json`;
    await replaceFile(disk, path, encode(text));
  }
  return await removeDays(place, book);
}

/** Removes the days that the leader has removed because of their age. */
async function removeDays(
  { disk, tapeRoot, dataset, manifest }: BookPlace,
  book: TapeBook,
): Promise<readonly ContractRemoval[]> {
  const removals = Object.entries(book.keptFrom)
    .filter(([symbol, first]) => first > (manifest.keptFrom.get(symbol) ?? 0))
    .map(([symbol, keptFrom]) => {
      const days = [...(manifest.days.get(symbol)?.keys() ?? [])];
      return { symbol, keptFrom, days: days.filter((day) => day < keptFrom) };
    });
  await removeLive(disk, tapeRoot, dataset, manifest, removals);
  return removals;
}

async function readText(disk: Disk, path: string): Promise<string | null> {
  const bytes = await readFileWhole(disk, path);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
