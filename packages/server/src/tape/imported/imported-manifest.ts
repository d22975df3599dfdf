/**
 * What was imported into one dataset: every day of every contract that has come out of files, with where it came from
 * and what of it is there. It is one file that is replaced whole, so a whole import takes effect in one step. It is also
 * what makes a dataset one of imported days: such a dataset has no logs, and nobody but an import writes it.
 *
 * The files of a day bear the digest of its trades in their names. A day that is replaced gets other files, and who
 * reads the old ones by an older manifest goes on doing so. Files that no manifest names are nobody's.
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

/** A trade that was captured by a file which begins after the trade was made: it is that file's to replace. */
export interface StrayTrade extends PlainTrade {
  /** Where that file begins, by the clock of the day; behind `ns`, and often behind midnight. */
  readonly edge: number;
}

export interface ImportedDay {
  /** Of its trades, as in its sidecar. */
  readonly digest: string;
  readonly trades: number;
  /** Lots, all trades together: what rolls by volume are decided by. */
  readonly volume: number;
  /** What the files were said, or seen, to have of the day; ascending and apart. */
  readonly covered: readonly DaySpan[];
  /** Of the hours in which the market was open, those that nothing covers; none: the day is whole. */
  readonly gaps: readonly DaySpan[];
  readonly origin: 'imported' | 'replaced';
  /** The names of the files it was made of, without their folders. */
  readonly sources: readonly string[];
  /** When, as an instant of ISO 8601. */
  readonly at: string;
  /** By which rule unknown sides were filled in; null: they were left unknown. */
  readonly sideRule: 'tick-rule' | null;
  /** Trades outside of the hours of the contract's calendar, which studies leave out; not there: none. */
  readonly outside?: number;
  /** Not there: none. */
  readonly strays?: readonly StrayTrade[];
}

export type ImportedDays = ReadonlyMap<string, ReadonlyMap<UtcDay, ImportedDay>>;

export interface ImportedManifest {
  readonly dataset: string;
  /** Grows by one with every import that changed something. */
  readonly revision: number;
  /** By contract and day. */
  readonly days: ImportedDays;
}

interface ManifestText {
  readonly version: number;
  readonly dataset: string;
  readonly revision: number;
  readonly days: DaysText<ImportedDay>;
}

/** Whether anything was ever imported into a dataset. */
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

/** It is on disk once this resolves. Only who holds the dataset's lock may call it, after all files it names are there. */
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

/** The name, without its ending, of the two files of an imported day. */
export function importedStem(day: UtcDay, digest: string): string {
  return `${day}-${digest.slice(0, 16)}`;
}
