/**
 * Files that are their owner's alone. What others may read is closed to them; what others may have written
 * is told, since only who uses the file can say what that is worth. Windows has no such modes: there the
 * rights of the directory count, and every file passes as private.
 */

import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './sync-directory.ts';

export const OWNER_ONLY = 0o600;
export const OWNER_ONLY_DIRECTORY = 0o700;
const OTHERS_READ = 0o044;
const OTHERS_WRITE = 0o022;

/** What others could do with a file; `nothing` is how it should be. */
export type Exposure = 'nothing' | 'read' | 'write';

export function exposureOf(mode: number, platform: NodeJS.Platform = process.platform): Exposure {
  if (platform === 'win32') return 'nothing';
  if ((mode & OTHERS_WRITE) !== 0) return 'write';
  return (mode & OTHERS_READ) !== 0 ? 'read' : 'nothing';
}

/** Closes a file to others and says what they could do before; null when there is no such file. */
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
