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
  const integrity = 'sha512-a';
  const packages = {
    '': {},
    'node_modules/lint': { ...lint, integrity },
    'node_modules/@lint/linux': { integrity },
    'node_modules/a/node_modules/@lint/darwin': { os: ['darwin'] },
  };
  assert.deepEqual(saidOf(packages), []);
});

test('an optional package that is not locked is found', () => {
  const integrity = 'sha512-a';
  const said = saidOf({
    'node_modules/lint': { ...lint, integrity },
    'node_modules/@lint/linux': { integrity },
  });
  assert.equal(said.length, 1);
  assert.match(said[0]!, /@lint\/darwin, which is not locked/);
});

test('a package for a promised platform that the registry did not have is found', () => {
  const arm = { version: '1.0.1', os: ['linux'], cpu: ['arm64'], libc: ['glibc'] };
  const said = saidOf({
    'node_modules/@lint/linux-arm64': arm,
    'node_modules/@lint/linux-x64': { ...arm, cpu: ['x64'], integrity: 'sha512-a' },
    'node_modules/@lint/linux-musl': { ...arm, libc: ['musl'] },
    'node_modules/@lint/win32': { ...arm, os: ['win32'] },
    'node_modules/@house/room': { link: true },
  });
  assert.equal(said.length, 1);
  assert.match(said[0]!, /@lint\/linux-arm64 1\.0\.1 has no integrity/);
});

test('a missing lockfile is found', () => {
  assert.match(checkLockfile(treeWith())[0]!.message, /missing/);
});
