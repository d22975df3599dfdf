/** Encodes the files of a build that shrink, once: the server sends the encoded file beside the original. */

import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** Smaller files do not shrink enough. */
const BYTES_MIN = 1_024;
/** Pages contain the service's address, so the server encodes those itself; these files never change. */
const NAMES = 'assets/**/*.{js,css,svg,json,ndjson,txt}';

/** Returns how many files were encoded. */
export async function encodeFiles(site: string): Promise<number> {
  const names = globSync(NAMES, { cwd: site });
  const encoded = await Promise.all(names.map((name) => encodeFile(join(site, name))));
  return encoded.filter(Boolean).length;
}

async function encodeFile(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  if (bytes.length < BYTES_MIN) return false;
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  return true;
}
