/**
 * The secret behind export tokens, made once and kept in the data directory, for its owner's eyes only: so
 * tokens outlive a restart. After a crash the file is whole or not there.
 */

import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

const FILE_NAME = 'export-secret';
const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/** A file of another length is replaced: tokens of before end, and nothing else. */
export async function exportSecret(directory: string): Promise<Uint8Array> {
  const path = join(directory, FILE_NAME);
  const kept = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (kept?.length === SECRET_BYTES) return kept;
  const made = randomBytes(SECRET_BYTES);
  const unfinished = `${path}.unfinished`;
  {
    await using file = await open(unfinished, 'w', OWNER_ONLY);
    await file.write(made);
    await file.sync();
  }
  // Whatever was left there by a start that was cut off.
  await chmod(unfinished, OWNER_ONLY);
  await rename(unfinished, path);
  return made;
}
