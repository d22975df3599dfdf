/**
 * The format of a data directory: a number that grows whenever older programs could no longer read a newer program's
 * data, or would damage it. It is stored in `<directory>/format.json` before any data of that format. A directory
 * without the file is older than the number, and any program may take it over; one with a higher number is refused and
 * left unchanged.
 */

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../version.ts';

/** Formats by the accounts' schema: 1: up to 4, and the tape with a manifest; 2: 5; 3: 6; 4: 7 and 8; 5: 9 to 13; 6: 14 and 15. */
export const DATA_FORMAT = 6;

export class DataFormatError extends Error {}

/** The caller must hold the directory's lock. */
export function requireDataFormat(directory: string): void {
  const found = requireKnownFormat(directory);
  if (found === null || found.format < DATA_FORMAT) {
    writeFormat(directory, join(directory, 'format.json'));
  }
}

/** Checks the format without changing anything. Null if no program has recorded a format. */
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

/** Atomic: after an interruption the file is whole or missing. */
function writeFormat(directory: string, path: string): void {
  const part = `${path}.part`;
  const format: Format = { format: DATA_FORMAT, program: VERSION };
  writeFileSync(part, `${JSON.stringify(format)}\n`, { flush: true });
  renameSync(part, path);
  // Windows cannot sync directories.
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
