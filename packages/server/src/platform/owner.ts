/** Gives files that root created to the owner of their directory, since the service could not use them otherwise. */

import { lchownSync, lstatSync, statSync } from 'node:fs';
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Only files that belong to root and have no other name: another user may have planted a hard link. */
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

/** A folder below the directory, with all its content. */
export async function giveToOwner(directory: string, folder: string): Promise<void> {
  const owner = ownerOf(directory);
  if (owner === null) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
}

/** Null if nothing has to change owner. */
function ownerOf(directory: string): { readonly uid: number; readonly gid: number } | null {
  if (process.geteuid?.() !== 0) return null;
  const { uid, gid } = statSync(directory);
  return uid === 0 ? null : { uid, gid };
}
