import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeFootprints } from '../../testing/made-market.ts';
import { madeContent } from '../../testing/made-scene.ts';
import { type ChartSpec, DEFAULT_CHART } from '../spec/chart-spec.ts';
import { chartLayout } from './chart-layout.ts';

const content = madeContent(madeFootprints(20));
const SPEC: ChartSpec = {
  ...DEFAULT_CHART,
  panes: ['delta', 'cumulative-delta', 'tape-speed'],
};

test('a wide chart has a side of 112 px, four rows of 17 px and panes of 80 px', () => {
  const layout = chartLayout({ width: 1396, height: 790 }, SPEC, content);
  assert.equal(layout.side?.width, 112);
  assert.deepEqual([layout.stripRows, layout.stripRowHeight], [4, 17]);
  assert.deepEqual(
    layout.panes.map(({ rect }) => rect.height),
    [80, 80, 80],
  );
  assert.equal(layout.timeAxis.height, 26);
});

test('the parts cover the chart without a gap', () => {
  for (const width of [320, 390, 560, 690, 899, 1396, 3840]) {
    for (const height of [200, 430, 640, 788, 1600]) {
      const layout = chartLayout({ width, height }, SPEC, content);
      const { main, strip, panes, timeAxis, priceAxis, side, names } = layout;
      let y = main.height;
      for (const part of [strip, ...panes.map(({ rect }) => rect)]) {
        if (part === null) continue;
        assert.equal(part.y, y, `${width} × ${height}`);
        y += part.height;
      }
      assert.equal(timeAxis.y, y);
      assert.equal(y + timeAxis.height, height);
      assert.equal(layout.plotWidth + (side?.width ?? 0) + priceAxis.width, width);
      assert.equal(names.width, width - layout.plotWidth);
      assert.ok(main.height >= 100, `${width} × ${height} leaves ${main.height} px`);
    }
  }
});

test('a phone has two rows, one pane and no side', () => {
  const layout = chartLayout({ width: 390, height: 640 }, SPEC, content);
  assert.equal(layout.isNarrow, true);
  assert.equal(layout.side, null);
  assert.equal(layout.stripRows, 2);
  assert.deepEqual(
    layout.panes.map(({ pane }) => pane),
    ['tape-speed'],
  );
});

test('longer prices widen the axis, larger text too', () => {
  const size = { width: 1396, height: 790 };
  const width = (tick: number, scale = 1) =>
    chartLayout(size, SPEC, madeContent(madeFootprints(5), tick), scale).priceAxis.width;
  assert.ok(width(1_000) > width(250_000_000));
  assert.ok(width(250_000_000, 2) > width(250_000_000) * 1.5);
});

test('text of 200 % has rows of 20 px', () => {
  const layout = chartLayout({ width: 1396, height: 790 }, SPEC, content, 2);
  assert.equal(layout.stripRowHeight, 20);
});
