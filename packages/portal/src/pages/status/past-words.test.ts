import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysSentence, type PastDay } from './past-words.ts';

function day(date: string, more: Partial<PastDay> = {}): PastDay {
  return {
    day: date,
    state: 'up',
    recordedSeconds: 86_400,
    partialSeconds: 0,
    downSeconds: 0,
    ...more,
  };
}

test('a screen reader hears how many days were up, which were not and for how long, and what has no record', () => {
  assert.equal(
    daysSentence([day('2026-11-17'), day('2026-11-18')]),
    'Of the last 2 days: 2 days up.',
  );
  assert.equal(
    daysSentence([
      day('2026-11-15', { state: 'none', recordedSeconds: 0 }),
      day('2026-11-16', { state: 'partial', partialSeconds: 60 }),
      day('2026-11-17', { state: 'down', downSeconds: 300 }),
      day('2026-11-18'),
    ]),
    'Of the last 4 days: 1 day up, 2 days with incidents, 1 day without a record. ' +
      '16 Nov 2026: partly down for 1 minute; 17 Nov 2026: down for 5 minutes.',
  );
});
