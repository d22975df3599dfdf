import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyGround } from './empty-ground.ts';

const PLOT = { width: 600, height: 400 };

test('a card stands where no bar is, near its point', () => {
  const boxes = [{ x: 100, y: 0, width: 200, height: 400 }];
  const place = emptyGround({
    ...{ width: 120, height: 100, plot: PLOT, boxes },
    near: { x: 200, y: 200 },
    xs: [150, 320, 460],
  });
  assert.equal(place.x, 320);
  assert.ok(Math.abs(place.y + 50 - 200) <= 14);
});

test('without empty ground it covers the least', () => {
  const boxes = [
    { x: 0, y: 0, width: 600, height: 250 },
    { x: 0, y: 250, width: 40, height: 150 },
  ];
  const place = emptyGround({
    ...{ width: 120, height: 100, plot: PLOT, boxes },
    near: { x: 60, y: 100 },
    xs: [20, 60],
  });
  assert.equal(place.x, 60);
  assert.ok(place.y >= 250);
});

test('a card larger than the plot stands in its corner', () => {
  const place = emptyGround({
    ...{ width: 700, height: 500, plot: PLOT, boxes: [] },
    near: { x: 0, y: 0 },
    xs: [0, 10],
  });
  assert.deepEqual(place, { x: 6, y: 6 });
});
