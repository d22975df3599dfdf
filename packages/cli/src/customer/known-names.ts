/**
 * The names that shells complete: instruments and indicators as they were last heard from a service, and the profiles one is
 * signed in as, one a line in the user's cache directory, so that a shell reads them without starting anything. They are a
 * convenience: where they cannot be written nothing else fails.
 */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandIo } from '../command.ts';
import { profilesPath, readProfiles } from './profiles.ts';

export type NameKind = 'instruments' | 'indicators' | 'profiles';

/** The same directory in words of a shell, for the scripts that read it. */
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
  // Shells get plain words only, whatever a service calls its instruments.
  const plain = [...new Set(names)].filter((name) => NAME.test(name));
  const path = join(directory, kind);
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(draft, plain.map((name) => `${name}\n`).join(''));
    await rename(draft, path);
  } catch {
    // A cache that cannot be written is as good as an old one.
  }
}

/** The profiles of the file of sign-ins, as it is now; their keys stay in it. */
export async function rememberProfiles(io: CommandIo): Promise<void> {
  const path = profilesPath(io.env);
  if (path === null) return;
  // A file that cannot be used is told by the commands that need it.
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
