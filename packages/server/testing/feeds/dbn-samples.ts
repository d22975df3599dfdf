/** The real files of `shared/data`, decompressed. They are not part of the product: without them, tests are skipped. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

const folder = '/work/shared/data/dbn';

/** Why tests of real files cannot run here, or false. */
export const samplesMissing = existsSync(folder) ? false : `${folder} is not there`;

export function sample(name: string): Uint8Array {
  const bytes = readFileSync(join(folder, name));
  return new Uint8Array(name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes);
}
