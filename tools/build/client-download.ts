/**
 * `node tools/build/client-download.ts <file.tgz>` writes the client as a package that `npm install` takes: what a service
 * offers at `/downloads/`. Equal sources give equal bytes, so that a lock file's checksum holds.
 */

import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildClientPackage } from './client-package.ts';

const BLOCK = 512;
/** npm puts every file of a package below this folder. */
const FOLDER = 'package';

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error('name the file to write');
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), 'client-download-'));
try {
  const built = join(work, 'client');
  buildClientPackage(built);
  const names = globSync('**/*', { cwd: built, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const entries = names.map((path) => {
    const name = `${FOLDER}/${path.slice(built.length + 1).replaceAll('\\', '/')}`;
    return entryOf(name, readFileSync(path));
  });
  mkdirSync(dirname(resolve(target)), { recursive: true });
  writeFileSync(
    target,
    gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 }),
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** A file in the format ustar, of nobody and no time. */
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
