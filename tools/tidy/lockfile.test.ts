import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLockfile } from './lockfile.ts';
import { treeWith } from './sample-tree.ts';

const lint = { optionalDependencies: { '@lint/linux': '1.0.0', '@lint/darwin': '1.0.0' } };

function saidOf(packages: Readonly<Record<string, object>>) {
  const tree = treeWith({ 'package-lock.json': JSON.stringify({ packages }) });
  return checkLockfile(tree).map(({ message }) => message);
}

test('a lockfile with the optional packages of every platform has no finding', () => {
  const packages = { '': {}, 'node_modules/lint': lint, 'node_modules/@lint/linux': {} };
  assert.deepEqual(saidOf({ ...packages, 'node_modules/a/node_modules/@lint/darwin': {} }), []);
});

test('an optional package that is not locked is found', () => {
  const said = saidOf({ 'node_modules/lint': lint, 'node_modules/@lint/linux': {} });
  assert.equal(said.length, 1);
  assert.match(said[0]!, /@lint\/darwin, which is not locked/);
});

test('a missing lockfile is found', () => {
  assert.match(checkLockfile(treeWith())[0]!.message, /missing/);
});
