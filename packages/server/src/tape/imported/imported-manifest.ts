/**
 * The manifest of the imported days of a dataset: every contract and day that came from files, with its origin and
 * coverage. It is one file that is replaced as a whole, so an import takes effect in one step, and only imports write
 * it. In a live dataset it names the repaired days, which are read instead of the sealed ones. File names contain the digest of a day's trades. So a replaced day
 * gets other files, and a reader on an older manifest keeps the old ones. Unnamed files are unused.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, replaceFile } from '../../platform/disk/disk.ts';
import { printChecked } from '../checked-json.ts';
import { type DaysText, daysInText, readManifestFile } from '../manifest-file.ts';
import type { DaySpan } from '../tape.ts';
import { importedPath } from '../tape-paths.ts';

const MANIFEST_VERSION = 1;

export interface PlainTrade {
  /** Of the day. */
  readonly ns: number;
  /** Ticks and lots. */
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

/** A trade captured by a file that begins after the trade. It belongs to that file and is replaced with it. */
export interface StrayTrade extends PlainTrade {
  /** Where that file begins, on the clock of the trade's day: after `ns`, and often after midnight. */
  readonly edge: number;
}

export interface ImportedDay {
  /** Digest of its trades, as in its sidecar. */
  readonly digest: string;
  readonly trades: number;
  /** Lots of all trades: rolls by volume are decided by it. */
  readonly volume: number;
  /** The hours of the day that the files declare or show to cover; ascending and disjoint. */
  readonly covered: readonly DaySpan[];
  /** The market's open hours that nothing covers; none: the day is complete. */
  readonly gaps: readonly DaySpan[];
  readonly origin: 'imported' | 'replaced';
  /** The names of its source files, without folders. */
  readonly sources: readonly string[];
  /** The time of the import, in ISO 8601. */
  readonly at: string;
  /** The rule that filled in unknown sides; null: they stay unknown. */
  readonly sideRule: 'tick-rule' | null;
  /** Trades outside the hours of the contract's calendar, which studies leave out; absent: none. */
  readonly outside?: number;
  /** In a live dataset, the hours whose trades are still those of the live tape; absent: none. */
  readonly live?: readonly DaySpan[];
  /** Absent: none. */
  readonly strays?: readonly StrayTrade[];
}

export type ImportedDays = ReadonlyMap<string, ReadonlyMap<UtcDay, ImportedDay>>;

export interface ImportedManifest {
  readonly dataset: string;
  /** Grows by one with every import that changes something. */
  readonly revision: number;
  readonly days: ImportedDays;
}

interface ManifestText {
  readonly version: number;
  readonly dataset: string;
  readonly revision: number;
  readonly days: DaysText<ImportedDay>;
}

/** Whether files were imported into a dataset; it may have a live tape as well (`hasLiveTape`). */
export async function isImported(disk: Disk, tapeRoot: string, dataset: string): Promise<boolean> {
  return (await disk.stat(importedPath(tapeRoot, dataset))) !== null;
}

/** Null when nothing was imported yet. Rejects with `TapeDamagedError`. */
export async function readImported(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<ImportedManifest | null> {
  const file = importedPath(tapeRoot, dataset);
  const wanted = { file, what: 'manifest of imported days', version: MANIFEST_VERSION, dataset };
  const read = await readManifestFile<ManifestText>(disk, wanted);
  return read && { dataset, revision: read.revision, days: daysInText(read.days) };
}

/** On disk when this resolves. The caller must hold the dataset's lock, and all named files must exist. */
export async function writeImported(
  disk: Disk,
  tapeRoot: string,
  { dataset, revision, days }: ImportedManifest,
): Promise<void> {
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = printChecked({
    version: MANIFEST_VERSION,
    dataset,
    revision,
    days: Object.fromEntries(sorted.map(([symbol, of]) => [symbol, Object.fromEntries(of)])),
  } satisfies ManifestText);
  await replaceFile(disk, importedPath(tapeRoot, dataset), new TextEncoder().encode(text));
}

/** The name, without extension, of the two files of an imported day. */
export function importedStem(day: UtcDay, digest: string): string {
  return `${day}-${digest.slice(0, 16)}`;
}
