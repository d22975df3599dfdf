/**
 * The names that shells complete: instruments and indicators as the service last returned them, and the stored
 * profiles. One name a line in the user's cache directory, so that a shell reads them without starting a program.
 * Completion is a convenience: if the names cannot be written, nothing else fails.
 */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandIo } from '../command.ts';
import { profilesPath, readProfiles } from './profiles.ts';

export type NameKind = 'instruments' | 'indicators' | 'profiles';

/** The same directory in shell syntax, for the scripts that read it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in.
export const NAMES_DIRECTORY_IN_SHELL = '${XDG_CACHE_HOME:-$HOME/.cache}/tapeloom';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export async function rememberNames(
  io: CommandIo,
  kind: NameKind,
  names: readonly string[],
): Promise<void> {
  const directory = namesDirectory(io.env);
  if (directory === null) return;
  // Only plain words reach the shell, whatever names the service returns.
  const plain = [...new Set(names)].filter((name) => NAME.test(name));
  const path = join(directory, kind);
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(draft, plain.map((name) => `${name}\n`).join(''));
    await rename(draft, path);
  } catch {
    // An unwritable cache costs no more than an outdated one.
  }
}

/** Copies the names of the stored profiles, never their keys. */
export async function rememberProfiles(io: CommandIo): Promise<void> {
  const path = profilesPath(io.env);
  if (path === null) return;
  // The commands that need the file report its faults.
  const profiles = await readProfiles(path).catch(() => null);
  if (profiles !== null) await rememberNames(io, 'profiles', [...profiles.keys()]);
}

function namesDirectory(env: CommandIo['env']): string | null {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'tapeloom');
  return env.HOME ? join(env.HOME, '.cache', 'tapeloom') : null;
}

export function instrumentNames(
  instruments: readonly { readonly symbol: string; readonly alias: string | null }[],
): readonly string[] {
  return instruments.flatMap(({ alias, symbol }) => (alias === null ? [symbol] : [alias, symbol]));
}
