/** A built package as one file for `npm install`. Equal contents give equal bytes, so a lock file's checksum stays valid. */

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
/** npm puts every file of a package below this folder. */
const FOLDER = 'package';

export function writePackedFile(built: string, target: string): void {
  const paths = globSync('**/*', { cwd: built, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const entries = paths.map((path) => {
    const name = `${FOLDER}/${path.slice(built.length + 1).replaceAll('\\', '/')}`;
    return entryOf(name, readFileSync(path));
  });
  const tar = Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, gzipSync(tar, { level: 9 }));
}

/** A file in ustar format, without owner and time. */
function entryOf(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for ustar: ${name}`);
  head.write(name, 0);
  head.write(name.includes('/bin/') ? '0000755' : '0000644', 100);
  head.write('0000000', 108);
  head.write('0000000', 116);
  head.write(`${content.length.toString(8).padStart(11, '0')} `, 124);
  head.write(`${'0'.repeat(11)} `, 136);
  head.write(' '.repeat(8), 148);
  head.write('0', 156);
  head.write('ustar', 257);
  head.write('00', 263);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  const filler = (BLOCK - (content.length % BLOCK)) % BLOCK;
  return Buffer.concat([head, content, Buffer.alloc(filler)]);
}
