import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartLayout } from '../scene/chart-layout.ts';
import type { BarObject } from '../series/bar-series.ts';
import { ChartContent } from '../series/chart-content.ts';
import { DEFAULT_CHART } from '../spec/chart-spec.ts';
import { Viewport } from './viewport.ts';

function bar(minute: number): BarObject {
  const ts = BigInt(minute) * 60_000_000_000n;
  return {
    ...{ id: `20261117.${minute}`, final: true, ts },
    data: {
      ...{ end: String(ts), open: 100, high: 110, low: 95, close: 105 },
      ...{ volume: 10, bid: 4, ask: 6, unknown: 0, trades: 3, delta: 2, deltaMin: 0, deltaMax: 2 },
    },
  } as BarObject;
}

function scene(from = 100, count = 50) {
  const content = new ChartContent();
  content.bars.putAll(Array.from({ length: count }, (_, at) => bar(from + at)));
  const layout = chartLayout({ width: 1000, height: 700 }, DEFAULT_CHART, content);
  const viewport = new Viewport(50);
  viewport.take(content.bars);
  const step = (ms = 16) => viewport.step(ms, layout, content, DEFAULT_CHART, true);
  step();
  return { content, layout, viewport, step };
}

test('a chart begins at its end with prices that fit', () => {
  const { viewport } = scene();
  assert.equal(viewport.window.right, 50.25);
  assert.equal(viewport.window.middle, (110 + 95 + 1) / 2);
  assert.ok(viewport.follows);
});

test('at the end, a new bar moves the picture by one column', () => {
  const { content, viewport } = scene();
  content.bars.put(bar(150));
  assert.equal(viewport.take(content.bars), 0);
  assert.equal(viewport.window.right, 51.25);
});

test('in the past, a new bar moves nothing', () => {
  const { content, layout, viewport } = scene();
  viewport.pan(layout, 500, 0);
  assert.ok(!viewport.follows);
  const { right } = viewport.window;
  content.bars.put(bar(150));
  viewport.take(content.bars);
  assert.equal(viewport.window.right, right);
});

test('older bars in front leave the picture where it is, and tell by how many columns', () => {
  for (const isBack of [false, true]) {
    const { content, layout, viewport, step } = scene();
    if (isBack) viewport.pan(layout, 700, 0);
    step();
    const fromEnd = viewport.window.right - 50;
    content.bars.putAll(Array.from({ length: 30 }, (_, at) => bar(70 + at)));
    assert.equal(viewport.take(content.bars), 30);
    assert.equal(viewport.window.right - 80, fromEnd);
  }
});

test('other bars of the same time leave the time where it is', () => {
  const { content, layout, viewport, step } = scene();
  viewport.pan(layout, 700, 0);
  step();
  const before = viewport.rightNs(content.bars);
  content.bars.clear();
  assert.equal(viewport.take(content.bars), 0);
  content.bars.putAll(
    Array.from({ length: 25 }, (_, at) => ({ ...bar(100 + 2 * at), id: `20261117.9${at}` })),
  );
  viewport.take(content.bars);
  const after = viewport.rightNs(content.bars);
  assert.ok(before !== null && after !== null);
  assert.ok(Math.abs(Number(after - before)) <= 2 * 60e9);
});

test('the end key returns to the end and to the fit', () => {
  const { layout, viewport } = scene();
  viewport.pan(layout, 500, 40);
  assert.ok(!viewport.window.isAuto);
  viewport.end();
  assert.ok(viewport.follows && viewport.window.isAuto);
  assert.equal(viewport.window.right, 50.25);
});

test('a glide ends at the edge of the bars', () => {
  const { layout, viewport, step } = scene();
  viewport.home(layout);
  step();
  viewport.glide(4);
  let frames = 0;
  while (step() && frames < 400) frames += 1;
  assert.ok(frames < 400 && !viewport.isGliding);
});

test('prices come to their fit within half a second, and at once without motion', () => {
  const { content, layout, viewport, step } = scene();
  const high = { ...bar(150), data: { ...bar(150).data, high: 200 } } as BarObject;
  content.bars.put(high);
  viewport.take(content.bars);
  let ms = 0;
  while (step() && ms < 1000) ms += 16;
  assert.ok(ms > 16 && ms < 500, `${ms} ms`);
  content.bars.put({ ...high, data: { ...high.data, high: 300 } } as BarObject);
  viewport.take(content.bars);
  assert.equal(viewport.step(16, layout, content, DEFAULT_CHART, false), false);
});

test('a key reveals a column beyond either edge', () => {
  const { layout, viewport, step } = scene();
  viewport.reveal(layout, 3);
  step();
  const left = viewport.window.right - layout.plotWidth / 50;
  assert.ok(left <= 3 && left > 0);
  viewport.reveal(layout, 49);
  step();
  assert.ok(viewport.window.right >= 50);
});

test('older bars are wanted when the first bar comes into view', () => {
  const { layout, viewport, step } = scene();
  assert.ok(!viewport.seesBegin(layout));
  viewport.home(layout);
  step();
  assert.ok(viewport.seesBegin(layout));
});
