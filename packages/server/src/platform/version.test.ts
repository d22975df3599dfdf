import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from './version.ts';

const root = join(import.meta.dirname, '../../../..');

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

test('all packages of the house have one semantic version, and name each other by it', () => {
  assert.match(VERSION, /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[\w.]+)?$/);
  const files = globSync(['package.json', 'packages/*/package.json', 'bench/package.json'], {
    cwd: root,
  });
  assert.ok(files.length > 5);
  for (const file of files) {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
    assert.equal(manifest.version, VERSION, file);
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      if (name.startsWith('@tapeloom/')) assert.equal(version, VERSION, `${name} in ${file}`);
    }
  }
});
