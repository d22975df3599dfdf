import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeOf } from './desk-size.ts';

test('large text has the layout of a smaller screen', () => {
  assert.deepEqual(
    [320, 390, 768, 1_024, 1_440, 3_840].map((width) => sizeOf(width, 16)),
    ['phone', 'phone', 'narrow', 'medium', 'full', 'full'],
  );
  assert.equal(sizeOf(1_440, 32), 'narrow');
  assert.equal(sizeOf(1_280, 16), 'wide');
  assert.equal(sizeOf(1_280, 32), 'phone');
});
