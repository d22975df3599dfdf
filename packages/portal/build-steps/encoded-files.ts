/** Files of a build that become smaller, encoded once: the server sends what lies beside a file as it is. */

import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** Smaller files gain nothing. */
const BYTES_MIN = 1_024;
/** Pages name the address of their service, so the server encodes them itself; these never change. */
const NAMES = 'assets/**/*.{js,css,svg,json,ndjson,txt}';

/** How many were. */
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
