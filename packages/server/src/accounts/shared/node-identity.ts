/**
 * The identity of a data directory: a random name, created once by the holder of the directory's lock. A copied
 * directory has the same identity, so two nodes with one identity are detected when the second starts.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePrivateFile } from '../../platform/disk/private-file.ts';

const FILE_NAME = 'node.json';
const ID = /^node_[0-9a-f]{24}$/;
const ID_BYTES = 12;

/** For the operator to resolve; the message is complete. */
export class NodeIdentityError extends Error {}

export async function nodeIdentity(
  directory: string,
  random: (size: number) => Uint8Array,
): Promise<string> {
  const path = join(directory, FILE_NAME);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) {
    const id = `node_${Buffer.from(random(ID_BYTES)).toString('hex')}`;
    await replacePrivateFile(directory, FILE_NAME, `${JSON.stringify({ id })}\n`);
    return id;
  }
  const id = idIn(text);
  if (id !== null) return id;
  throw new NodeIdentityError(
    `${path} contains no valid node id. Restore the original file, or remove it: ` +
      'the directory then becomes a new node',
  );
}

function idIn(text: string): string | null {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === 'string' && ID.test(id) ? id : null;
  } catch {
    return null;
  }
}
