import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeloomError } from './tapeloom-error.ts';

test('an error has its code, its sentence and its cause, and null for what is not known', () => {
  const cause = new Error('socket');
  const error = new TapeloomError('NETWORK', 'No answer.', { cause });
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'TapeloomError');
  assert.equal(error.code, 'NETWORK');
  assert.equal(error.message, 'No answer.');
  assert.equal(error.cause, cause);
  assert.equal(error.status, null);
  assert.equal(error.requestId, null);
  assert.equal(error.retryAfterSeconds, null);
  assert.deepEqual(error.errors, []);
  assert.deepEqual(error.missingDays, []);
});

test('an error without a cause has no cause', () => {
  assert.equal('cause' in new TapeloomError('CLOSED', 'Closed.'), false);
});
