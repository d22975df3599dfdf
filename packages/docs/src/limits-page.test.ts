import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { TABLE_PLACES, withTable } from './limits/limit-tables.ts';
import { LIMITS_PATH, limitsPage } from './limits-page.ts';

test('docs/limits.md says what the code enforces; else run npm run docs', () => {
  assert.equal(readFileSync(LIMITS_PATH, 'utf8'), limitsPage());
});

for (const place of TABLE_PLACES) {
  test(`the table ${place.name} of ${basename(place.path)} says what the code enforces; else run npm run docs`, () => {
    const page = readFileSync(place.path, 'utf8');
    assert.equal(withTable(page, place), page);
  });
}

test('no number of docs/limits.md is typed: the files that make its rows have no digit', () => {
  const files = [
    'limits-page.ts',
    ...globSync('limits/*-sections.ts', { cwd: import.meta.dirname }),
  ];
  assert.ok(files.length > 3);
  for (const file of files) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8');
    // Names that contain a digit, and `=== 0` for "none".
    const rest = source.replace(/UTF-8|\/v1\b|=== 0\b/g, '');
    assert.doesNotMatch(rest, /\d/, file);
  }
});

test('every row of docs/limits.md has a limit, and a table has no row twice', () => {
  for (const table of limitsPage()
    .split('\n\n')
    .filter((part) => part.startsWith('| '))) {
    const rows = table
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    const names = rows.map((row) => row.split(' | ')[0]);
    assert.equal(new Set(names).size, names.length);
    for (const row of rows) assert.doesNotMatch(row, /NaN|undefined|\| \|.*\|/);
  }
});
