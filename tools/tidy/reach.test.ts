import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReach } from './reach.ts';
import { treeWith } from './sample-tree.ts';

test('a sound tree has no finding', () => {
  assert.deepEqual(checkReach(treeWith()), []);
});

test('a file that nobody imports is dead', () => {
  const found = checkReach(treeWith({ 'packages/core/src/lost.ts': '/** It. */\n' }));
  assert.deepEqual(
    found.map(({ path, message }) => [path, message]),
    [['packages/core/src/lost.ts', 'no file imports this file']],
  );
});

test('a file that only its own test imports is dead; one that another test needs is not', () => {
  const lost = { 'packages/core/src/lost.ts': '/** It. */\n' };
  const statement = "import './lost.ts';\n";
  const own = checkReach(treeWith({ ...lost, 'packages/core/src/lost.test.ts': statement }));
  assert.equal(own.length, 1);
  const other = checkReach(treeWith({ ...lost, 'packages/core/src/found.test.ts': statement }));
  assert.deepEqual(other, []);
});

test('a file named as the address of a worker is alive', () => {
  const tree = treeWith({
    'packages/server/src/tape/a-worker.ts': '/** It. */\n',
    'packages/server/src/tape/log.ts':
      "/** A log. */\nnew Worker(new URL('./a-worker.ts', import.meta.url));\n",
  });
  assert.deepEqual(checkReach(tree), []);
});

test('a cycle is found, of types too, and reported once', () => {
  const found = checkReach(
    treeWith({
      'packages/server/src/tape/log.ts': "/** A log. */\nimport './seal.ts';\n",
      'packages/server/src/tape/seal.ts': "/** It. */\nimport './read.ts';\n",
      'packages/server/src/tape/read.ts': "/** It. */\nimport type { A } from './log.ts';\n",
    }),
  );
  assert.equal(found.length, 1);
  assert.match(found[0]!.message, /log\.ts → .*seal\.ts → .*read\.ts → .*log\.ts$/);
});
