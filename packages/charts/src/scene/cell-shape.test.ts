import assert from 'node:assert/strict';
import { test } from 'node:test';
import { footprintOf, madeContent } from '../../testing/made-scene.ts';
import { type ChartSpec, DEFAULT_CHART, type Look } from '../spec/chart-spec.ts';
import { autoGroup, cellShape } from './cell-shape.ts';

const OPEN = 1_794_852_000_000_000_000n;

/** One bar whose largest side of a row is `most`. */
function shapeAt(
  columnWidth: number,
  most: number,
  part: Partial<ChartSpec> = {},
  tickHeight = 16,
) {
  const levels = Array.from(
    { length: 20 },
    (_, at) => [22_000 + at, at === 9 ? most : 1, 2] as const,
  );
  const content = madeContent([footprintOf('20261117.1', OPEN, levels)]);
  return cellShape({
    window: { columnWidth, right: 1, middle: 22_010, tickHeight, isAuto: true },
    spec: { ...DEFAULT_CHART, ...part },
    ...{ textScale: 1, columns: content.bars.columns, from: 0, to: 1 },
  }).cell;
}

test('bars are candles below 17 px, cells from 20 px on, and fade between them', () => {
  assert.equal(shapeAt(16, 100).kind, 'candles');
  assert.equal(shapeAt(17, 100).weave, 0);
  assert.equal(shapeAt(18.5, 100).weave, 0.5);
  assert.equal(shapeAt(20, 100).weave, 1);
  assert.equal(shapeAt(20, 100).kind, 'weave');
});

test('three digits need bars of 80 px, four digits 98 px; numbers fade over the 6 px of a half cell below', () => {
  assert.equal(shapeAt(80, 999).numbers, 1);
  assert.ok(shapeAt(78, 999).numbers < 1);
  assert.ok(shapeAt(78, 999).numbers > 0);
  assert.equal(shapeAt(62, 999).numbers, 0);
  assert.equal(shapeAt(98.1, 9_999).numbers, 1);
  assert.ok(shapeAt(94, 9_999).numbers < 1);
});

test('one number of four digits takes the numbers of all bars away where only three fit', () => {
  assert.equal(shapeAt(80, 99).kind, 'numbers');
  assert.equal(shapeAt(80, 4_000).kind, 'weave');
});

test('shortened numbers from 10,000 on fit almost where four digits do', () => {
  assert.equal(shapeAt(110, 99_000).numbers, 1);
});

test('a single cell has room earlier than two halves', () => {
  assert.equal(shapeAt(62, 999, { look: 'delta' }).kind, 'numbers');
  assert.equal(shapeAt(62, 999, { look: 'volume' }).kind, 'numbers');
  assert.equal(shapeAt(100, 999, { look: 'two' }).kind, 'weave');
  assert.equal(shapeAt(140, 999, { look: 'two' }).kind, 'numbers');
});

test('candles are candles at every width', () => {
  for (const width of [2, 20, 120])
    assert.equal(shapeAt(width, 10, { look: 'candles' }).kind, 'candles');
});

test('rows of numbers are at least 14 px high, rows of a weave 4 px', () => {
  assert.equal(shapeAt(110, 99, {}, 3).group, 5);
  assert.equal(shapeAt(110, 99, {}, 14).group, 1);
  assert.equal(shapeAt(30, 99, {}, 3).group, 2);
  assert.equal(shapeAt(30, 99, {}, 0.1).group, 40);
});

test('a group by hand stays, and drops the numbers where its rows are too low', () => {
  const near = shapeAt(110, 99, { group: 2 }, 7);
  assert.deepEqual([near.kind, near.group], ['numbers', 2]);
  const low = shapeAt(110, 99, { group: 2 }, 6);
  assert.deepEqual([low.kind, low.group], ['weave', 2]);
});

test('rows by hand that could not be seen are joined', () => {
  const { group, rowHeight } = shapeAt(110, 99, { group: 1 }, 0.01);
  assert.ok(rowHeight >= 1.5, `${group} ticks of ${rowHeight} px`);
});

test('groups go up in steps that people use', () => {
  const steps = [20, 7, 4, 3, 2, 1.5, 1, 0.8, 0.6, 0.4, 0.3, 0.15, 0.1, 0.05].map((height) =>
    autoGroup(height, 14),
  );
  assert.deepEqual(steps, [1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 100, 200, 400]);
});

test('groups are multiples of the rows that the service summed', () => {
  assert.equal(autoGroup(2, 14, 3), 12);
  assert.equal(autoGroup(0.001, 4, 7) % 7, 0);
});

test('figures have 9.5 to 13 px', () => {
  for (const width of [75, 85, 110, 200, 260]) {
    for (const look of ['bidask', 'delta', 'volume', 'two'] satisfies Look[]) {
      const { textSize } = shapeAt(width, 700, { look }, 15);
      assert.ok(textSize >= 9.5 && textSize <= 13, `${textSize}`);
    }
  }
});
