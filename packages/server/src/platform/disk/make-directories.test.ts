import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeDirectories, makeDirectoriesSync } from './make-directories.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-make-'));
after(() => rmSync(root, { recursive: true, force: true }));
writeFileSync(join(root, 'file'), '');

const procMissing = process.platform === 'linux' ? false : 'only Linux has /proc';
for (const [name, make] of [
  ['makeDirectories', makeDirectories],
  [
    'makeDirectoriesSync',
    async (path: string, options?: object) => makeDirectoriesSync(path, options),
  ],
] as const) {
  test(`${name}: a directory and those above it are made, with a mode, and again without harm`, async () => {
    const path = join(root, name, 'b', 'c');
    await make(path, { mode: 0o700 });
    assert.equal(statSync(path).mode & 0o777, 0o700);
    await make(path);
    assert.ok(existsSync(path));
  });

  test(`${name}: a file in the way is an error`, async () => {
    await assert.rejects(make(join(root, 'file', 'x')), { code: 'ENOTDIR' });
    await assert.rejects(make(join(root, 'file')), { code: 'ENOTDIR' });
  });

  test(`${name}: a parent that takes no child is an error, not a loop`, {
    skip: procMissing,
  }, async () => {
    await assert.rejects(make('/proc/x'), { code: 'ENOENT' });
    await assert.rejects(make('/proc/x/y'), { code: 'ENOENT' });
  });
}
