import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignedTable } from './table.ts';

test('columns are as wide as their widest cell and numbers end in one line', () => {
  const table = alignedTable(
    ['what', 'trades/s', 'ratio'],
    [
      ['append', 1_234_567, '0.83 ×'],
      ['bare write and fdatasync', 999, '1.00 ×'],
    ],
  );
  assert.equal(
    table,
    [
      'what                       trades/s   ratio',
      '────────────────────────  ─────────  ──────',
      'append                    1,234,567  0.83 ×',
      'bare write and fdatasync        999  1.00 ×',
    ].join('\n'),
  );
});

test('fractions keep three significant digits', () => {
  assert.match(alignedTable(['ms'], [[0.123456], [123.456]]), /0\.123\n {2}123$/);
});
