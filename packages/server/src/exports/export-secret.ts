/** The secret behind export tokens, made once and kept in the data directory: tokens outlive a restart. */

import { randomBytes } from 'node:crypto';
import { type Disk, readFileWhole, replaceFile } from '../platform/disk.ts';

const FILE_NAME = 'export-secret';
const SECRET_BYTES = 32;

/** A file that is not whole is replaced: tokens of before end, and nothing else. */
export async function exportSecret(disk: Disk, directory: string): Promise<Uint8Array> {
  const path = `${directory}/${FILE_NAME}`;
  const kept = await readFileWhole(disk, path);
  if (kept?.length === SECRET_BYTES) return kept;
  const made = randomBytes(SECRET_BYTES);
  await replaceFile(disk, path, made);
  return made;
}
