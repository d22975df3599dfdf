/**
 * Checks the data directory: whether the effective user can read and write it, whether other users can read secrets,
 * and whether this version knows its format. Writes nothing. Run it as the service's user.
 */

import { accessSync, constants, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DataFormatError, requireKnownFormat } from '@tapeloom/server/platform/disk/data-format';
import { exposureOf } from '@tapeloom/server/platform/disk/private-file';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'rights';
/** Enough to find what a command as root left behind; a tape of years has more entries. */
const ENTRIES_MAX = 10_000;
const SHOWN_MAX = 3;
/** Files that only their owner should be able to read. */
const SECRETS = ['accounts/accounts.db', 'export-secret'];
const READ_WRITE = 0o6;
const READ_WRITE_ENTER = 0o7;

export function checkDirectory(data: string): readonly Finding[] {
  const place = realPath(data);
  const found = place === null ? null : statOf(place);
  if (place === null || found === null) return [checkParent(data)];
  if (!found.isDirectory()) {
    return [fault(CHECK, `${data} is not a directory`, 'Set TAPELOOM_DATA to a directory.')];
  }
  const entries = walk(place);
  const unusable = entries.filter(({ path, stat }) => !mayUse(path, stat));
  const findings =
    unusable.length > 0
      ? [unusableFinding(place, unusable)]
      : [ok(CHECK, `${data} and its contents can be read and written`)];
  return [...findings, ...exposed(data), ...formatFindings(data)];
}

/** The first start creates the directory. */
function checkParent(data: string): Finding {
  let parent = dirname(data);
  while (statOf(parent) === null && dirname(parent) !== parent) parent = dirname(parent);
  const stat = statOf(parent);
  if (stat?.isDirectory() && mayUse(parent, stat)) {
    return ok(CHECK, `${data} does not exist yet; the first start creates it`);
  }
  const advice = `Create ${data} and give it to the service's user: install -d -o <user> -m 700 ${data}`;
  return fault(CHECK, `${data} does not exist, and ${parent} cannot be written`, `${advice}.`);
}

interface Entry {
  readonly path: string;
  readonly stat: Stats;
}

function unusableFinding(data: string, entries: readonly Entry[]): Finding {
  const names = entries.slice(0, SHOWN_MAX).map(({ path }) => relative(data, path) || '.');
  const rest = entries.length - names.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  const detail = `${data}: this user cannot read and write ${names.join(', ')}${more}`;
  return fault(
    CHECK,
    detail,
    `Run this as the service's user, or give the files to that user: chown -R <user>: ${data}.`,
  );
}

/** Lists directories before their contents. A directory that cannot be listed is itself unusable. */
function walk(directory: string): readonly Entry[] {
  const entries: Entry[] = [];
  const waiting = [directory];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (entries.length >= ENTRIES_MAX) break;
    const stat = statOf(path);
    // The entry may be gone since it was listed: a service may be running.
    if (stat === null || stat.isSymbolicLink()) continue;
    entries.push({ path, stat });
    if (!stat.isDirectory()) continue;
    try {
      for (const name of readdirSync(path)) waiting.push(join(path, name));
    } catch {
      // The mode reports this fault too.
    }
  }
  return entries;
}

/**
 * Checks the mode for the effective user: `access` checks the real user, which is still root after the command took the
 * owner's identity. Only the system call knows about a read-only disk.
 */
function mayUse(path: string, stat: Stats): boolean {
  const wanted = stat.isDirectory() ? READ_WRITE_ENTER : READ_WRITE;
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0) {
    const shift = stat.uid === user ? 6 : stat.gid === process.getegid!() ? 3 : 0;
    if (((stat.mode >> shift) & wanted) !== wanted) return false;
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function exposed(data: string): readonly Finding[] {
  return SECRETS.flatMap((name) => {
    const stat = statOf(join(data, name));
    if (stat === null || exposureOf(stat.mode) === 'nothing') return [];
    const path = join(data, name);
    return [warning(CHECK, `other users can read ${path}`, `Restrict it: chmod 600 ${path}.`)];
  });
}

function formatFindings(data: string): readonly Finding[] {
  try {
    requireKnownFormat(data);
    return [];
  } catch (error) {
    if (!(error instanceof DataFormatError)) return [];
    return [fault('format', error.message, 'Run the version named above.')];
  }
}

/** Null: it does not exist. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
