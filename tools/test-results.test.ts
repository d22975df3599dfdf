import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './test-results.ts';

test('a test that was skipped or is a plan only has not passed', () => {
  assert.equal(recordOf({ name: 'a' }, true).passed, true);
  assert.equal(recordOf({ name: 'a' }, false).passed, false);
  assert.equal(recordOf({ name: 'a', skip: true }, true).passed, false);
  assert.equal(recordOf({ name: 'a', skip: 'no network' }, true).passed, false);
  assert.equal(recordOf({ name: 'a', todo: '' }, true).passed, false);
});
