/** Code copied from the docs must work on the oldest Node and when something fails. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
  'README.md',
  'packages/client/README.md',
  'packages/portal/src/pages/landing/code-samples.ts',
  ...globSync('{docs,examples}/**/*.md', { cwd: root, exclude: ['docs/decisions/**'] }),
  ...globSync('examples/**/*.{ts,js}', { cwd: root, exclude: ['**/node_modules/**'] }),
];

function pagesWith(pattern: RegExp): readonly string[] {
  return pages.filter((path) => pattern.test(read(path)));
}

test('no sample needs `await using`, which Node 22 does not know', () => {
  assert.deepEqual(pagesWith(/^\s*await using /m), []);
});

test('no sample takes whatever a back end answers for a token', () => {
  assert.deepEqual(pagesWith(/\(await fetch\([^)]*\)\)\.(?:text|json)\(\)/), []);
});

test('no sample of a server dies of a token that it does not get', () => {
  for (const path of pages) {
    for (const [before] of read(path).matchAll(/[\s\S]{0,80}await client\.streamToken\(\)/g)) {
      assert.match(before, /\btry\b/, path);
    }
  }
});

test('an import map names a module that the package has', () => {
  const { exports } = JSON.parse(read('packages/client/package.json'));
  // As built: source paths become paths below `lib`.
  const built = Object.values<string>(exports).map((it) => it.replace('src/', 'lib/').slice(2));
  const named = pages.flatMap((path) => [
    ...read(path).matchAll(/node_modules\/@tapeloom\/client\/([\w/-]+)\.js/g),
  ]);
  assert.ok(named.length > 0);
  for (const [text, module] of named) assert.ok(built.includes(`${module}.ts`), text);
});
