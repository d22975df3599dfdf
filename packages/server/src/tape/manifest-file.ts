/** The file format of a dataset's manifests: one checked record each, with a value for every contract and day. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole } from '../platform/disk/disk.ts';
import { parseChecked } from './checked-json.ts';
import { TapeDamagedError } from './tape-errors.ts';

/** By contract and day. */
export type DaysText<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

interface WantedManifest {
  readonly file: string;
  /** The file's name in error messages. */
  readonly what: string;
  readonly version: number;
  readonly dataset: string;
}

/** Null when there is no file yet. Rejects with `TapeDamagedError`. */
export async function readManifestFile<
  Text extends { readonly version: number; readonly dataset: string },
>(disk: Disk, { file, what, version, dataset }: WantedManifest): Promise<Text | null> {
  const bytes = await readFileWhole(disk, file);
  if (bytes === null) return null;
  const read = parseChecked<Text>(new TextDecoder().decode(bytes), { what, version, file });
  if (read.dataset === dataset) return read;
  throw new TapeDamagedError('the manifest is of another dataset', { file, offset: 0 });
}

export function daysInText<Value>(text: DaysText<Value>): Map<string, Map<UtcDay, Value>> {
  const daysOf = (days: Readonly<Record<string, Value>>) =>
    new Map(Object.entries(days).map(([day, value]) => [Number(day) as UtcDay, value]));
  return new Map(Object.entries(text).map(([symbol, days]) => [symbol, daysOf(days)]));
}
