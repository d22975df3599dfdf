/** The paths of a tape's files below `<data>/tape`. Dataset and contract names become file names, if they are safe. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { isUtcDay } from '@tapeloom/core/utc-day';
import { UNFINISHED_SUFFIX } from '../platform/disk/disk.ts';

const IMPORT_FILES: readonly string[] = ['imported.json', 'rolls.json'];
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const DAY_FILE = /^([1-9]\d{7})\.(log|json|arrow)$/;
const BESIDE_LOGS = /^[1-9]\d{7}\.(at|kept)$/;
const IMPORTED_FILE = /^([1-9]\d{7})-[0-9a-f]{16}\.(json|arrow)$/;

export function logDirectory(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/log`;
}

export function logPath(tapeRoot: string, dataset: string, day: UtcDay): string {
  return `${logDirectory(tapeRoot, dataset)}/${day}.log`;
}

export function daysDirectory(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/days`;
}

export function contractDirectory(tapeRoot: string, dataset: string, symbol: string): string {
  return `${daysDirectory(tapeRoot, dataset)}/${safeName(symbol)}`;
}

export function sealedPath(tapeRoot: string, dataset: string, symbol: string, day: UtcDay): string {
  return `${contractDirectory(tapeRoot, dataset, symbol)}/${day}.arrow`;
}

export function sidecarPath(
  tapeRoot: string,
  dataset: string,
  symbol: string,
  day: UtcDay,
): string {
  return `${contractDirectory(tapeRoot, dataset, symbol)}/${day}.json`;
}

export function sessionsDirectory(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/sessions`;
}

/** Session books that imports into a live dataset wrote: the writer of its tape never replaces these. */
export function importedSessionsDirectory(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/imported-sessions`;
}

export function manifestPath(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/manifest.json`;
}

/** Files that a node stores beside a tape it shares with others. */
export function sharedDirectory(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/shared`;
}

/** Files that were moved aside and not deleted; they are never read. */
export function asideDirectory(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/aside`;
}

/** The file that records which source began the tape. */
export function sourcePath(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/source.json`;
}

/** The manifest of a dataset's imported days; a dataset whose trades go through a log may have it as well. */
export function importedPath(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/imported.json`;
}

/** The rolls that volume decided in a dataset made of imported days. */
export function rollsPath(tapeRoot: string, dataset: string): string {
  return `${tapeRoot}/${safeName(dataset)}/rolls.json`;
}

export function isSafeName(name: string): boolean {
  return SAFE_NAME.test(name);
}

/** The day in a file name like `20261113.log`, or null for any other name. */
export function dayOfFile(name: string, kind: 'log' | 'json' | 'arrow'): UtcDay | null {
  const match = DAY_FILE.exec(name);
  if (match === null || match[2] !== kind) return null;
  const day = Number(match[1]);
  return isUtcDay(day) ? day : null;
}

/** Whether this name is that of a file beside the logs of a shared tape. */
export function isBesideLogs(name: string): boolean {
  return BESIDE_LOGS.test(name);
}

/** The day in a file name like `20261113-0123456789abcdef.arrow`, or null for any other name. */
export function dayOfImportedFile(name: string): UtcDay | null {
  const day = Number(IMPORTED_FILE.exec(name)?.[1] ?? 0);
  return isUtcDay(day) ? day : null;
}

/** Whether a file beside a day or a manifest belongs to an import, which may still be writing it. */
export function isFileOfImport(name: string): boolean {
  const finished = name.endsWith(UNFINISHED_SUFFIX)
    ? name.slice(0, -UNFINISHED_SUFFIX.length)
    : name;
  return dayOfImportedFile(finished) !== null || IMPORT_FILES.includes(finished);
}

function safeName(name: string): string {
  if (!isSafeName(name)) throw new RangeError(`not a name the tape can keep: ${name}`);
  return name;
}
