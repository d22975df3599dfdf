import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CHART,
  commonVersion,
  GUIDES,
  LOCKFILE,
  MANIFESTS,
  requireNotOlder,
  withVersion,
} from './versions.ts';

const root = join(import.meta.dirname, '../..');
const texts = new Map(
  [...globSync(MANIFESTS, { cwd: root }), LOCKFILE, CHART, ...GUIDES].map((path) => [
    path,
    readFileSync(join(root, path), 'utf8'),
  ]),
);
const manifests = new Map([...texts].filter(([path]) => path.endsWith('package.json')));
const current = commonVersion(manifests);

test('a new version changes every file that names it, and going back gives the same bytes', () => {
  for (const [path, text] of texts) {
    const changed = withVersion(path, text, current, '98.7.6');
    assert.notEqual(changed, text, path);
    assert.equal(withVersion(path, changed, '98.7.6', current), text, path);
  }
});

test('after that all packages have it, and name each other by it', () => {
  const changed = new Map(
    [...manifests].map(([path, text]) => [path, withVersion(path, text, current, '98.7.6')]),
  );
  assert.equal(commonVersion(changed), '98.7.6');
});

test('a package with another version, or that needs another, is named', () => {
  const one = { version: '1.0.0' };
  const fault = (other: object) => () =>
    commonVersion(
      new Map([
        ['package.json', JSON.stringify(one)],
        ['packages/a/package.json', JSON.stringify(other)],
      ]),
    );
  assert.throws(fault({ version: '1.0.1' }), /packages\/a\/package\.json has 1\.0\.1.*Give them/s);
  const needs = { version: '1.0.0', dependencies: { '@tapeloom/core': '0.9.0' } };
  assert.throws(fault(needs), /packages\/a\/package\.json needs @tapeloom\/core 0\.9\.0/);
});

test('a release is of the version that is there or a later one', () => {
  for (const next of ['1.2.3', '1.2.4', '1.10.0', '2.0.0-rc.1']) requireNotOlder(next, '1.2.3');
  requireNotOlder('1.0.0', '1.0.0-rc.2');
  requireNotOlder('1.0.0-rc.10', '1.0.0-rc.9');
  for (const next of ['1.2.2', '0.9.9', '1.2.3-rc.1']) {
    assert.throws(() => requireNotOlder(next, '1.2.3'), /is older than 1\.2\.3/);
  }
  for (const next of ['1.2', 'v1.2.3', '01.2.3', '']) {
    assert.throws(() => requireNotOlder(next, '0.1.0'), /is no version\. Name one such as/);
  }
});
