import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayValues, monthShape } from './month-shape.ts';
import { monthOf } from './usage-pace.ts';

const month = monthOf('2026-11');
const nowMs = Date.UTC(2026, 10, 15, 12);
const day = (name: string, computeUnits: number) => ({
  day: name,
  used: { computeUnits, exportBytes: 0 },
});

test('each day has its bar, and the line goes up to today', () => {
  const facts = { month, nowMs, limit: 100, days: [day('2026-11-02', 10), day('2026-11-15', 30)] };
  const shape = monthShape(facts, 652);
  assert.equal(dayValues(facts)[1], 10);
  assert.equal(shape.right, 600);
  assert.equal(shape.bars.length, 30);
  assert.equal(shape.sum.length, 15);
  assert.deepEqual(
    shape.bars.filter(({ height }) => height > 0).map((bar) => [bar.day, bar.isToday]),
    [
      [2, false],
      [15, true],
    ],
  );
  assert.ok(shape.sum.at(-1)!.y < shape.sum[0]!.y, 'more is higher');
  assert.ok(shape.limit!.y < shape.sum.at(-1)!.y);
  // 40 of 100 after 14.5 days: the budget would end after 36 days, so it lasts.
  assert.equal(shape.end, null);
});

test('where a budget runs out is marked on its line', () => {
  const facts = { month, nowMs, limit: 100, days: [day('2026-11-10', 80)] };
  const shape = monthShape(facts, 652);
  assert.equal(shape.end!.y, shape.limit!.y);
  assert.ok(Math.abs(shape.end!.x - (14.5 / 0.8 / 30) * 600) < 0.01);
});

test('a month that is over has no pace, and one without a budget no limit', () => {
  const over = { month: monthOf('2026-10'), nowMs, limit: 100, days: [day('2026-10-01', 90)] };
  const shape = monthShape(over, 652);
  assert.deepEqual(
    [shape.end, shape.sum.length, shape.bars.some((bar) => bar.isToday)],
    [null, 31, false],
  );
  const free = monthShape({ ...over, limit: 0 }, 652);
  assert.equal(free.limit, null);
  assert.ok(free.sumLines.some(({ value }) => value === 100));
});

test('a narrow screen names fewer days', () => {
  const facts = { month, nowMs, limit: 100, days: [] };
  assert.deepEqual(
    monthShape(facts, 300).days.map((it) => it.day),
    [1, 8, 15, 22, 29],
  );
});
