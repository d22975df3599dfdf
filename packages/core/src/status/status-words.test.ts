import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeText, lengthText, uptimeText } from './status-words.ts';

test('uptime is of what was recorded, and is 100% only without any outage', () => {
  const day = (downSeconds: number, recordedSeconds = 86_400) => ({ downSeconds, recordedSeconds });
  assert.equal(uptimeText([day(0, 0)]), null);
  assert.equal(uptimeText([day(0, 0), day(0)]), '100%');
  assert.equal(uptimeText([day(1)]), '99.99%');
  assert.equal(uptimeText([day(0, 0), day(864)]), '99.00%');
});

test('how long something lasted is said as people say it', () => {
  assert.deepEqual([1, 29, 60, 330, 7_200, 7_800, 172_800, 180_000].map(lengthText), [
    '1 second',
    '29 seconds',
    '1 minute',
    '6 minutes',
    '2 h',
    '2 h 10 min',
    '2 days',
    '2 days 2 h',
  ]);
});

test('a cause that is not known yet has words too', () => {
  assert.match(causeText('flood' as 'engine'), /not whole/);
});
