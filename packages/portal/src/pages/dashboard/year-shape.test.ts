import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthsSince, yearScale } from './year-shape.ts';

const used = (computeUnits: number) => ({
  computeUnits,
  historyItems: 0,
  exportBytes: 0,
  restRequests: 0,
});
const months = ['2026-08', '2026-09', '2026-10', '2026-11'].map((period) => ({
  period,
  used: used(period === '2026-11' ? 5 : 0),
}));

test('the year shows months since the account began, and none before', () => {
  const since = (text: string) => monthsSince(months, Date.parse(text)).map(({ period }) => period);
  assert.deepEqual(since('2026-10-31T23:59:59Z'), ['2026-10', '2026-11']);
  assert.deepEqual(since('2026-11-01T00:00:00Z'), ['2026-11']);
  assert.equal(since('2020-01-01T00:00:00Z').length, 4);
  assert.deepEqual(
    since('2026-12-01T00:00:00Z'),
    ['2026-11'],
    'a clock that is behind hides no use',
  );
});

test('little use is seen: the scale ends at the budget only where use comes near it', () => {
  assert.deepEqual(yearScale(20e9, 4_127_000), { top: 5e6, hasLimit: false });
  assert.deepEqual(yearScale(20e9, 12e9), { top: 20e9, hasLimit: true });
  assert.deepEqual(yearScale(20e9, 24e9), { top: 50e9, hasLimit: true });
  assert.deepEqual(yearScale(0, 300), { top: 500, hasLimit: false });
});
