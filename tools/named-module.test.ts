import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadRun } from './named-module.ts';

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapeloom-named-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('a module is found by its name and its run is handed back', async (t) => {
  const folder = folderWith(t, { 'a.bench.mjs': 'export const run = () => 7;' });
  const modules = { folder, ending: '.bench.mjs', usage: 'bench <name>' };
  assert.equal((await loadRun<() => number>(modules, 'a'))(), 7);
});

test('a module without a function run is refused', async (t) => {
  const folder = folderWith(t, { 'a.bench.mjs': 'export const run = 7;' });
  const modules = { folder, ending: '.bench.mjs', usage: 'bench <name>' };
  await assert.rejects(loadRun(modules, 'a'), /does not export a function "run"/);
});

test('a wrong name ends with 2 and how to call it', () => {
  for (const program of ['bench/run.ts', 'tests/torture/run.ts']) {
    const path = join(import.meta.dirname, '..', program);
    const { status, stderr } = spawnSync(process.execPath, [path, 'nothing'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /There is no "nothing"\. Usage: npm run (?:bench|torture) -- <name>/);
  }
});
