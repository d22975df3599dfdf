/** What root makes in somebody's directory is that one's: else the service could not use it. Nothing happens for other users. */

import { lchownSync, lstatSync, statSync } from 'node:fs';
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Of these files of a directory those that are root's and have no other name, which somebody may have planted. */
export function giveFilesToOwner(directory: string, names: readonly string[]): void {
  const owner = ownerOf(directory);
  if (owner === null) return;
  for (const name of names) {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isMade = found?.isFile() && found.uid === 0 && found.nlink === 1;
    if (isMade) lchownSync(path, owner.uid, owner.gid);
  }
}

/** Of a folder below it, with all that is in there. */
export async function giveToOwner(directory: string, folder: string): Promise<void> {
  const owner = ownerOf(directory);
  if (owner === null) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
}

/** Null where nothing has to be given away. */
function ownerOf(directory: string): { readonly uid: number; readonly gid: number } | null {
  if (process.geteuid?.() !== 0) return null;
  const { uid, gid } = statSync(directory);
  return uid === 0 ? null : { uid, gid };
}
