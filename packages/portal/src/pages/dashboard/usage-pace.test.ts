import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proseNumber } from '../../components/number-text.ts';
import {
  axisNumber,
  dayAndMonth,
  elapsedShare,
  monthAbbreviation,
  monthName,
  monthOf,
  paceOf,
  roundAbove,
} from './usage-pace.ts';

const NOVEMBER = monthOf('2026-11');
const MIDDLE = Date.UTC(2026, 10, 16);

test('a month has its days and its name', () => {
  assert.equal(NOVEMBER.days, 30);
  assert.deepEqual([monthOf('2028-02').days, monthOf('2026-12').days], [29, 31]);
  assert.equal(monthName('2026-11'), 'November 2026');
  assert.equal(monthAbbreviation('2026-09'), 'Sep');
  assert.equal(elapsedShare(NOVEMBER, MIDDLE), 0.5);
  assert.equal(elapsedShare(NOVEMBER, 0), 0);
  assert.equal(elapsedShare(monthOf('2026-01'), MIDDLE), 1);
});

test('a budget lasts, runs short at a day, or is used up', () => {
  assert.deepEqual(paceOf(10, 20, NOVEMBER, MIDDLE), { t: 'lasts' });
  const short = paceOf(15, 20, NOVEMBER, MIDDLE);
  assert.ok(short.t === 'short');
  assert.equal(dayAndMonth(short.atMs), '21 November');
  assert.deepEqual(paceOf(20, 20, NOVEMBER, MIDDLE), { t: 'used-up' });
});

test('little use at the beginning of a month is no pace, and no budget is no limit', () => {
  const first = Date.UTC(2026, 10, 1, 0, 5);
  assert.deepEqual(paceOf(1, 20, NOVEMBER, first), { t: 'lasts' });
  assert.deepEqual(paceOf(5, 0, NOVEMBER, MIDDLE), { t: 'lasts' });
});

test('scales end at round numbers, and say them shortly', () => {
  const round = [0, 1, 3, 7, 1.43e9, 20e9].map(roundAbove);
  assert.deepEqual(round, [1, 1, 5, 10, 2e9, 20e9]);
  assert.equal(axisNumber(4_127_000), '4.12 m', 'as prose has it: 4.12 million');
  assert.equal(proseNumber(4_127_000), '4.12 million');
  assert.deepEqual([0, 500, 1_500, 50e6, 12.42e9].map(axisNumber), [
    '0',
    '500',
    '1.5 k',
    '50 m',
    '12.42 bn',
  ]);
});
