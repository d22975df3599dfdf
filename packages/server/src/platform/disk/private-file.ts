/**
 * Files that belong to their owner alone. A file that others may read is closed to them. If others may have written it,
 * that is returned, since only the caller can judge its content. Windows has no such modes: the directory's rights
 * count there, and every file passes as private.
 */

import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './sync-directory.ts';

export const OWNER_ONLY = 0o600;
export const OWNER_ONLY_DIRECTORY = 0o700;
const OTHERS_READ = 0o044;
const OTHERS_WRITE = 0o022;

/** What other users can do with a file; `nothing` is right. */
export type Exposure = 'nothing' | 'read' | 'write';

export function exposureOf(mode: number, platform: NodeJS.Platform = process.platform): Exposure {
  if (platform === 'win32') return 'nothing';
  if ((mode & OTHERS_WRITE) !== 0) return 'write';
  return (mode & OTHERS_READ) !== 0 ? 'read' : 'nothing';
}

/** Closes a file to other users and returns their former access; null if there is no such file. */
export async function closeToOthers(path: string): Promise<Exposure | null> {
  try {
    await using file = await open(path, 'r');
    const { mode } = await file.stat();
    const exposure = exposureOf(mode);
    if (exposure !== 'nothing') await file.chmod(OWNER_ONLY);
    return exposure;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes beside, syncs, renames: after a crash the file has its old content or all of the new. */
export async function replacePrivateFile(
  directory: string,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  const unfinished = join(directory, `${name}.tmp`);
  {
    await using file = await open(unfinished, 'w', OWNER_ONLY);
    await file.writeFile(content);
    await file.sync();
  }
  await rename(unfinished, join(directory, name));
  await syncDirectory(directory);
}
