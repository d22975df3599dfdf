import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { lineAt, readTree } from './tree.ts';

test('a tree has every file but dependencies, data and results, and the texts', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'tapeloom-tidy-'));
  t.after(() => rmSync(root, { recursive: true }));
  const house = join(root, 'house');
  for (const [path, text] of Object.entries({
    'house/README.md': 'read',
    'house/packages/core/src/a.ts': 'a',
    'house/packages/server/src/tape/day.arrow': 'binary',
    'house/node_modules/x/index.js': 'x',
    'house/data/tape/x.ts': 'x',
    'house/.test-results/x.json': 'x',
    'shared/spec/rules.tsv': 'rules',
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const tree = readTree(house);
  assert.deepEqual([...tree.paths].sort(), [
    'README.md',
    'packages/core/src/a.ts',
    'packages/server/src/tape/day.arrow',
  ]);
  assert.deepEqual([...tree.texts].sort(), [
    ['README.md', 'read'],
    ['packages/core/src/a.ts', 'a'],
  ]);
  assert.equal(tree.sharedRules, 'rules');
});

test('lines are counted from 1', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => lineAt('a\nb\n', index)),
    [1, 1, 2, 2],
  );
});
