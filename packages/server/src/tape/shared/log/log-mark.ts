/** A hint of a log's position in the stream. A log with fewer records was torn: it is read again from its start. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole, replaceFile } from '../../../platform/disk/disk.ts';
import { parseChecked, printChecked } from '../../checked-json.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import { logDirectory } from '../../tape-paths.ts';

const MARK_VERSION = 1;

export interface LogMark {
  readonly day: UtcDay;
  /** The number of the opening in the stream. */
  readonly opening: number;
  /** The number of the last record noted here. */
  readonly sequence: number;
  /** The day's records up to that one. */
  readonly records: number;
}

export function markPath(tapeRoot: string, dataset: string, day: UtcDay): string {
  return `${logDirectory(tapeRoot, dataset)}/${day}.at`;
}

/** Null when there is no readable mark. */
export async function readMark(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  day: UtcDay,
): Promise<LogMark | null> {
  const file = markPath(tapeRoot, dataset, day);
  const bytes = await readFileWhole(disk, file);
  if (bytes === null) return null;
  try {
    const read = parseChecked<LogMark & { readonly version: number }>(
      new TextDecoder().decode(bytes),
      { what: 'mark', version: MARK_VERSION, file },
    );
    return read.day === day ? read : null;
  } catch (error) {
    if (error instanceof TapeDamagedError) return null;
    throw error;
  }
}

export async function writeMark(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  mark: LogMark,
): Promise<void> {
  const { day, opening, sequence, records } = mark;
  const text = printChecked({ version: MARK_VERSION, day, opening, sequence, records });
  await replaceFile(disk, markPath(tapeRoot, dataset, day), new TextEncoder().encode(text));
}
