/**
 * The format of a data directory: a number that grows whenever an older program could no longer read, or would
 * spoil, what a newer one writes. It lies in `<directory>/format.json` before anything of that format is
 * written. A directory without it is older than the number, and every program can take it over; one of a higher
 * number is refused and left as it is.
 */

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../version.ts';

/** 1: the accounts' schema up to 4; the tape with a manifest. 2: the accounts' schema 5. 3: its schema 6. 4: its schemas 7 and 8. 5: its schemas 9 to 13. */
export const DATA_FORMAT = 5;

export class DataFormatError extends Error {}

/** Called by who holds the directory's lock. */
export function requireDataFormat(directory: string): void {
  const found = requireKnownFormat(directory);
  if (found === null || found.format < DATA_FORMAT) {
    writeFormat(directory, join(directory, 'format.json'));
  }
}

/** The same for who only reads: nothing is changed. Null where no program has said what the directory's format is. */
export function requireKnownFormat(directory: string): Format | null {
  const found = readFormat(join(directory, 'format.json'));
  if (found === null || found.format <= DATA_FORMAT) return found;
  throw new DataFormatError(
    `the data directory ${directory} has format ${found.format}, written by Tapeloom ${found.program}; this is ` +
      `Tapeloom ${VERSION}, which knows formats up to ${DATA_FORMAT}. Run Tapeloom ${found.program} or later on it, ` +
      'or set TAPELOOM_DATA to another directory',
  );
}

interface Format {
  readonly format: number;
  /** The version of the program that wrote it first. */
  readonly program: string;
}

function readFormat(path: string): Format | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const found = formatIn(text);
  if (found !== null) return found;
  throw new DataFormatError(
    `${path} does not contain the format of its directory. Restore the file: ` +
      `{"format":${DATA_FORMAT},"program":"${VERSION}"} is what this version writes into a new directory`,
  );
}

function formatIn(text: string): Format | null {
  try {
    const { format, program } = JSON.parse(text) as Partial<Format>;
    const isSound = Number.isSafeInteger(format) && format! > 0 && typeof program === 'string';
    return isSound ? { format: format!, program: program! } : null;
  } catch {
    return null;
  }
}

/** Whatever interrupts it, the file is whole or not there. */
function writeFormat(directory: string, path: string): void {
  const part = `${path}.part`;
  const format: Format = { format: DATA_FORMAT, program: VERSION };
  writeFileSync(part, `${JSON.stringify(format)}\n`, { flush: true });
  renameSync(part, path);
  // Windows has no such thing for directories.
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
