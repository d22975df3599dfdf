import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { scriptBytesMax, scriptSizes, sizeReport } from './script-sizes.ts';

function part(name: string, imports: readonly string[], kind: 'entry' | 'page' | 'shared') {
  return {
    type: 'chunk' as const,
    name,
    fileName: `${name}.js`,
    imports: imports.map((other) => `${other}.js`),
    dynamicImports: [] as string[],
    code: `export const name = ${JSON.stringify(name)};`,
    isEntry: kind === 'entry',
    isDynamicEntry: kind === 'page',
  };
}

test('a page needs its entry, itself and all that both import, each counted once and gzipped', () => {
  const output = [
    part('app', ['preact'], 'entry'),
    part('keys-page', ['preact', 'table'], 'page'),
    part('table', ['preact'], 'shared'),
    part('preact', [], 'shared'),
    part('portal', [], 'entry'),
    { type: 'asset' as const },
  ];
  const bytes = (name: string) => gzipSync(`export const name = ${JSON.stringify(name)};`).length;
  assert.deepEqual(scriptSizes(output), [
    { name: 'app', bytes: bytes('app') + bytes('preact') },
    {
      name: 'keys-page',
      bytes: bytes('app') + bytes('preact') + bytes('keys-page') + bytes('table'),
    },
  ]);
});

test('the chart workspace is counted as it opens, and with all that it loads later', () => {
  const later = part('open-drawer', [], 'page');
  const charts = { ...part('charts', [], 'entry'), dynamicImports: [later.fileName] };
  const [first, lazy] = [gzipSync(charts.code).length, gzipSync(later.code).length];
  assert.deepEqual(scriptSizes([charts, later]), [
    { name: 'charts', bytes: first },
    { name: 'charts, all parts', bytes: first + lazy },
  ]);
  assert.equal(scriptBytesMax('charts'), 120_000);
  assert.equal(scriptBytesMax('charts, all parts'), 180_000);
});

test('the report has the largest first and marks what is above the wish', () => {
  const [first, second] = sizeReport([
    { name: 'small', bytes: 1_000 },
    { name: 'large', bytes: 61_000 },
  ]);
  assert.match(first!, /large\s+61\.0 kB of script, wanted are 60$/);
  assert.match(second!, /small\s+1\.0 kB of script$/);
});
