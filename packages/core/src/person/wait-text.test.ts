import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitText } from './wait-text.ts';

test('a wait is said in the unit that people use, and never shorter than it is', () => {
  const said = [0, 1, 4, 90, 91, 600, 5_400, 5_401, 83_750, 172_800, 172_801].map(waitText);
  assert.deepEqual(said, [
    '1 second',
    '1 second',
    '4 seconds',
    '90 seconds',
    '2 minutes',
    '10 minutes',
    '90 minutes',
    '2 hours',
    '24 hours',
    '48 hours',
    '3 days',
  ]);
});
