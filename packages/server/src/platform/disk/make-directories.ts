/**
 * Creates a directory and its parents, and fails if that is impossible. Node's recursive calls loop forever if a parent
 * exists but rejects children as missing, as `/proc` does: the process then spins and handles no signal.
 */

import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

interface MakeOptions {
  readonly mode?: number;
}

/** Resolves to the first directory that was created; null if all existed. */
export async function makeDirectories(
  path: string,
  { mode }: MakeOptions = {},
): Promise<string | null> {
  let first: string | null = null;
  for (const each of await missingOf(path, async (at) => (await stat(at)).isDirectory())) {
    try {
      await mkdir(each, { mode });
      first ??= each;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  return first;
}

/** The blocking form, for callers that need the directory first. */
export function makeDirectoriesSync(path: string, { mode }: MakeOptions = {}): void {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = statSync(at, { throwIfNoEntry: false });
    if (found?.isDirectory()) break;
    if (found !== undefined) throw notADirectory(at);
    missing.unshift(at);
    if (at === dirname(at)) break;
  }
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function missingOf(
  path: string,
  isDirectory: (path: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      if (await isDirectory(at)) return missing;
      throw notADirectory(at);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    missing.unshift(at);
    if (at === dirname(at)) return missing;
  }
}

function notADirectory(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), {
    code: 'ENOTDIR',
    syscall: 'mkdir',
    path,
  });
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
