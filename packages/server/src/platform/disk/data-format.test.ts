import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SCHEMA_VERSION } from '../../accounts/store/migrations/migrate.ts';
import { DATA_FORMAT, DataFormatError } from './data-format.ts';
import { lockDirectory } from './directory-lock.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-format-'));
after(() => rmSync(root, { recursive: true, force: true }));

function directory(format?: string): string {
  const path = mkdtempSync(join(root, 'data-'));
  if (format !== undefined) writeFileSync(join(path, 'format.json'), format);
  return path;
}
const take = (path: string) => lockDirectory(path)[Symbol.dispose]();
const formatOf = (path: string) => JSON.parse(readFileSync(join(path, 'format.json'), 'utf8'));

test('a directory without a format, or of a lower one, is taken over and gets ours', () => {
  for (const path of [directory(), directory('{"format":1,"program":"0.0.1"}')]) {
    take(path);
    assert.equal(formatOf(path).format, DATA_FORMAT);
    take(path);
  }
});

test('a directory of a newer program is refused with its name, both formats and what to do, and left as it is', () => {
  const path = directory('{"format":7,"program":"9.8.7","more":true}');
  assert.throws(
    () => take(path),
    (error: unknown) => {
      assert.ok(error instanceof DataFormatError);
      assert.ok(error.message.includes(path));
      assert.match(
        error.message,
        /format 7, .*Tapeloom 9\.8\.7.*formats up to \d+\. Run Tapeloom 9\.8\.7 or later/,
      );
      return true;
    },
  );
  assert.deepEqual(formatOf(path), { format: 7, program: '9.8.7', more: true });
  // The directory is free for a program that knows its format.
  assert.ok(!readdirSync(path).includes('lock.pid'));
  assert.throws(() => take(path), DataFormatError);
});

test('a format that cannot be read is refused with the name of its file', () => {
  for (const text of ['', 'null', '[]', '{"format":"1"}', '{"format":0,"program":"1.0.0"}']) {
    const path = directory(text);
    assert.throws(() => take(path), {
      message: new RegExp(`^${join(path, 'format.json')} does not`),
    });
  }
});

test('a new schema of the accounts comes with a new format of the directory', () => {
  // With a new migration, raise DATA_FORMAT, describe the format there, and update both numbers here.
  assert.deepEqual([DATA_FORMAT, SCHEMA_VERSION], [6, 15]);
});
