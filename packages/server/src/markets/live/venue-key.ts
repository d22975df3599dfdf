/** Reads the secret of an account at a venue. It is never shown, not even a part of it. */

import { basename } from 'node:path';
import { type Disk, readFileWhole } from '../../platform/disk/disk.ts';
import { SourceRefusedError } from '../market.ts';

const KEY_BYTES_MAX = 4_096;
/** Its end is sent to the venue: what is more than a key must not be. */
const KEY = /^\S+$/;
/** A key in place of the path, such as those of Databento. */
const LIKE_KEY = /^[a-z]{2}-[A-Za-z\d]{20,}$/;

/** `keyFile`: null, when none is needed. Rejects with a `SourceRefusedError`. */
export async function readVenueKey(disk: Disk, keyFile: string | null): Promise<string | null> {
  if (keyFile === null) return null;
  const bytes = await readFileWhole(disk, keyFile);
  if (bytes === null && LIKE_KEY.test(basename(keyFile))) {
    throw new SourceRefusedError('the key itself was given instead of the path of a file with it');
  }
  if (bytes === null) throw new SourceRefusedError(`the key file ${keyFile} does not exist`);
  const key = new TextDecoder().decode(bytes).trim();
  if (KEY.test(key) && bytes.length <= KEY_BYTES_MAX) return key;
  throw new SourceRefusedError(`the key file ${keyFile} has no key: one line with it is expected`);
}
