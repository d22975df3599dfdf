/**
 * Stores customers' addresses and keys in one file of the user's config directory, readable by its owner only from its
 * first byte on. A file that others can access is not used: they may know its key, and its address may be theirs.
 */

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { type Exposure, exposureOf, OWNER_ONLY } from '@tapeloom/server/platform/disk/private-file';
import type { CommandIo } from '../command.ts';
import { NotSignedInError } from './failure.ts';

export const DEFAULT_PROFILE = 'default';
const OWNER_ONLY_DIRECTORY = 0o700;
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

export interface Profile {
  readonly url: string;
  readonly key: string;
}

export type Profiles = ReadonlyMap<string, Profile>;

/** The path of the profiles; null when the environment names no home directory. */
export function profilesPath(
  env: CommandIo['env'],
  platform: NodeJS.Platform = process.platform,
): string | null {
  const { join } = platform === 'win32' ? win32 : posix;
  const directory = configDirectory(env, platform, join);
  return directory === null ? null : join(directory, 'tapeloom', 'credentials.json');
}

function configDirectory(
  env: CommandIo['env'],
  platform: NodeJS.Platform,
  join: (...parts: string[]) => string,
): string | null {
  if (env.XDG_CONFIG_HOME) return env.XDG_CONFIG_HOME;
  if (platform === 'win32') return env.APPDATA || null;
  if (!env.HOME) return null;
  if (platform === 'darwin') return join(env.HOME, 'Library', 'Application Support');
  return join(env.HOME, '.config');
}

export function isProfileName(name: string): boolean {
  return PROFILE_NAME.test(name);
}

/** A missing file means no profiles. */
export async function readProfiles(path: string): Promise<Profiles> {
  const exposure = await exposureOfFile(path);
  if (exposure === null) return new Map();
  if (exposure !== 'nothing') {
    throw new NotSignedInError(
      `other users can ${exposure} ${path}, so its key is not used. Restrict the file with ` +
        'chmod 600. If other people use this machine, replace the key (tapeloom keys rotate)',
    );
  }
  return parseProfiles(path, await readFile(path, 'utf8'));
}

/** Removes a profile, even from a file that is too exposed to use; false: there was none. */
export async function forgetProfile(path: string, name: string): Promise<boolean> {
  if ((await exposureOfFile(path)) === null) return false;
  const profiles = new Map(parseProfiles(path, await readFile(path, 'utf8')));
  if (!profiles.delete(name)) return false;
  await writeProfiles(path, profiles);
  return true;
}

/** Replaces the stored profiles atomically. */
export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  if (profiles.size === 0) {
    await rm(path, { force: true });
    return;
  }
  const directory = (process.platform === 'win32' ? win32 : posix).dirname(path);
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  if (process.platform !== 'win32') await chmod(directory, OWNER_ONLY_DIRECTORY);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await using file = await open(draft, 'wx', OWNER_ONLY);
    const content = { profiles: Object.fromEntries(profiles) };
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await file.sync();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** How other users can access the file; null: there is no file. */
async function exposureOfFile(path: string): Promise<Exposure | null> {
  try {
    return exposureOf((await stat(path)).mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseProfiles(path: string, text: string): Profiles {
  const broken = () =>
    new Error(`${path} was not written by tapeloom login; delete it and sign in again`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's message would quote the file, and the file holds a key.
    throw broken();
  }
  const profiles = (content as { readonly profiles?: unknown } | null)?.profiles;
  if (typeof profiles !== 'object' || profiles === null) throw broken();
  const entries = Object.entries(profiles as Readonly<Record<string, Partial<Profile>>>);
  return new Map(
    entries.map(([name, profile]) => {
      const { url, key } = profile ?? {};
      if (typeof url !== 'string' || typeof key !== 'string') throw broken();
      return [name, { url, key }];
    }),
  );
}
