import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitText } from './wait-text.ts';

test('a wait is said in seconds, minutes or hours, and never too short', () => {
  assert.equal(waitText(null), 'Try again later.');
  assert.equal(waitText(30), 'Try again in 30 seconds.');
  assert.equal(waitText(91), 'Try again in 2 minutes.');
  assert.equal(waitText(3_540), 'Try again in 59 minutes.');
  assert.equal(waitText(86_000), 'Try again in 24 hours.');
});
