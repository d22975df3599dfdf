/** Figures of values per bar: the bars themselves, cumulative delta, VWAP and tape speed. */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { BarsData, DeltaData, TapeSpeedData, VwapData } from '@tapeloom/protocol/indicators';
import { paint, segment } from '../scene/shapes.ts';
import { type Draw, extentOf, type FigureObject, largestOf } from './figure-scene.ts';
import { BEHIND, DASH, FAR, Plot, scaleText, through } from './plot.ts';

const PANE_HEIGHT = 96;
/** Where objects outnumber pixels, only this many of the most significant are drawn. */
const MARKS_MAX = 700;
const BAND_ALPHA = 0.14;

type Point = readonly [x: number, y: number];

export const drawBars: Draw<BarsData> = (scene) => {
  const plot = new Plot(scene, { paneHeight: PANE_HEIGHT });
  plot.candles();
  const most = largestOf(scene.objects, ({ data }) => data.volume);
  const y = plot.paneScale(0, most, scaleText);
  const width = plot.bodyWidth;
  for (const [dye, from, to] of [
    ['bid', () => 0, (bar: BarsData) => bar.bid],
    ['ask', (bar: BarsData) => bar.bid, (bar: BarsData) => bar.bid + bar.ask],
    ['neutral', (bar: BarsData) => bar.bid + bar.ask, (bar: BarsData) => bar.volume],
  ] as const) {
    const boxes = plot.shapes.rects(paint(dye));
    for (const object of scene.objects) {
      const { data } = object;
      const top = y(to(data));
      boxes.add4(plot.middleOf(object) - width / 2, top, width, y(from(data)) - top);
    }
  }
  plot.paneName('volume by aggressor');
  plot.legend([
    ['bid', 'sold at the bid'],
    ['ask', 'bought at the ask'],
    ['neutral', 'unknown'],
  ]);
  return plot.document();
};

export const drawDelta: Draw<DeltaData> = (scene) => {
  const plot = new Plot(scene, { paneHeight: 190, priceHeight: 210 });
  plot.candles(BEHIND);
  const [low, high] = extentOf(scene.objects.flatMap(({ data }) => [0, data.low, data.high]));
  const y = plot.paneScale(low, high, scaleText);
  const wicks = plot.shapes.lines(paint('neutral', BEHIND));
  for (const object of scene.objects) {
    const x = plot.middleOf(object);
    segment(wicks, x, y(object.data.high), x, y(object.data.low));
  }
  const closes = withZeros(scene.objects.map((it) => [plot.middleOf(it), it.data.close]));
  for (const [dye, part] of [
    ['ask', (close: number) => Math.max(0, close)],
    ['bid', (close: number) => Math.min(0, close)],
  ] as const) {
    const edge = closes.map(([x, close]): Point => [x, y(part(close))]);
    addArea(plot, dye, edge, y(0));
    const line = plot.shapes.lines(paint(dye), 1.5);
    for (const points of above(edge, y(0))) through(line, points);
  }
  segment(plot.shapes.lines(paint('axis'), 1, DASH), plot.left, y(0), plot.right, y(0));
  plot.paneName('cumulative delta since the open, in lots');
  return plot.document();
};

/** Between a line and its base. */
function addArea(plot: Plot, dye: 'ask' | 'bid' | 'neutral', edge: readonly Point[], base: number) {
  const [first, last] = [edge[0], edge.at(-1)];
  if (first === undefined) return;
  const { points, ends } = plot.shapes.areas(paint(dye, FAR));
  for (const [x, y] of [[first[0], base] as const, ...edge, [last![0], base] as const]) {
    points.add2(x, y);
  }
  ends.add(points.count);
}

/** The points of a line, with its zero crossings inserted. */
function withZeros(points: readonly Point[]): readonly Point[] {
  return points.flatMap(([x, value], index): Point[] => {
    const before = points[index - 1];
    if (before === undefined || before[1] * value >= 0) return [[x, value]];
    const share = before[1] / (before[1] - value);
    return [
      [before[0] + share * (x - before[0]), 0],
      [x, value],
    ];
  });
}

/** The parts of a line that do not lie on the base. */
function above(points: readonly Point[], base: number): readonly Point[][] {
  const parts: Point[][] = [];
  let part: Point[] = [];
  points.forEach((point, index) => {
    const before = points[index - 1];
    if (before === undefined) return;
    if (before[1] === base && point[1] === base) part = [];
    else if (part.length > 0) part.push(point);
    else {
      part = [before, point];
      parts.push(part);
    }
  });
  return parts;
}

export const drawVwap: Draw<VwapData> = (scene) => {
  // The bands jump in a session's first bars, so those do not set the scale.
  const settled = scene.objects.slice(Math.min(5, scene.objects.length >> 1));
  const reach = settled.flatMap(({ data }) => [data.upper2, data.lower2]);
  const plot = new Plot(scene, { reach });
  const barNs =
    scene.params.bar === 'time' ? BigInt(Number(scene.params.size ?? 0)) * SECOND_NS_BIG : null;
  const endOf = (object: FigureObject<VwapData>) =>
    barNs === null ? plot.leftOf(object) + plot.candleWidth : plot.x(object.ts + barNs);
  const at = (pick: (data: VwapData) => number) =>
    scene.objects.map((object): Point => {
      const y = Math.min(plot.bottom, Math.max(plot.top, plot.y(pick(object.data))));
      return [endOf(object), y];
    });
  for (const [upper, lower] of [
    ['upper3', 'lower3'],
    ['upper2', 'lower2'],
    ['upper1', 'lower1'],
  ] as const) {
    const { points, ends } = plot.shapes.areas(paint('neutral', BAND_ALPHA));
    for (const [x, y] of [...at((it) => it[upper]), ...at((it) => it[lower]).toReversed()]) {
      points.add2(x, y);
    }
    ends.add(points.count);
  }
  plot.candles(BEHIND);
  through(
    plot.shapes.lines(paint('ink'), 1.5),
    at((data) => data.vwap),
  );
  const last = scene.objects.at(-1);
  if (last !== undefined) {
    plot.tag('ink', last.data.vwap, 'VWAP');
    plot.tag('axis', last.data.upper1, '+1 deviation');
    plot.tag('axis', last.data.lower1, '−1 deviation');
  }
  return plot.document();
};

export const drawTapeSpeed: Draw<TapeSpeedData> = (scene) => {
  const plot = new Plot(scene, { paneHeight: 170, priceHeight: 210 });
  plot.candles();
  const most = largestOf(scene.objects, ({ data }) => data.rate);
  const y = plot.paneScale(0, most, scaleText);
  // A second is narrower than a pixel: of every few seconds only the fastest is drawn.
  const seen = everyFastest(scene.objects);
  const rates = seen.map(({ ts, data }): Point => [plot.x(ts), y(data.rate)]);
  addArea(plot, 'neutral', rates, y(0));
  through(plot.shapes.lines(paint('neutral')), rates);
  const bursts = plot.shapes.lines(paint('ink'));
  for (const { ts, data } of seen) {
    if (data.burst) segment(bursts, plot.x(ts), y(0), plot.x(ts), y(data.rate));
  }
  const averages = plot.shapes.lines(paint('ink'), 1.5, DASH);
  through(
    averages,
    seen.map(({ ts, data }): Point => [plot.x(ts), y(data.average)]),
  );
  plot.paneName('trades per second');
  plot.legend([
    ['neutral', 'rate'],
    ['ink', 'burst'],
    ['dash ink', 'average'],
  ]);
  return plot.document();
};

function everyFastest(
  objects: readonly FigureObject<TapeSpeedData>[],
): FigureObject<TapeSpeedData>[] {
  const count = Math.max(1, Math.ceil(objects.length / MARKS_MAX));
  const fastest: FigureObject<TapeSpeedData>[] = [];
  for (let at = 0; at < objects.length; at += count) {
    const some = objects.slice(at, at + count);
    fastest.push(some.reduce((best, next) => (next.data.rate > best.data.rate ? next : best)));
  }
  return fastest;
}

/** For an indicator without a figure of its own: its first numeric field, as sticks below the candles. */
export const drawAny: Draw<unknown> = (scene) => {
  const plot = new Plot(scene, { paneHeight: PANE_HEIGHT });
  plot.candles();
  const records = scene.objects.map(({ data }) => Object(data) as Record<string, unknown>);
  const fields = new Set(records.flatMap((record) => Object.keys(record)));
  const field = [...fields].find((it) => records.some((record) => typeof record[it] === 'number'));
  if (field === undefined) return plot.document();
  const values = records.map((record) => Number(record[field] ?? 0));
  const [low, high] = extentOf([0, ...values]);
  const y = plot.paneScale(low, high, scaleText);
  const sticks = plot.shapes.rects(paint('ink'));
  scene.objects.forEach(({ ts }, at) => {
    const [zero, value] = [y(0), y(values[at]!)];
    sticks.add4(plot.x(ts), Math.min(zero, value), 2, Math.abs(zero - value));
  });
  plot.paneName(field);
  return plot.document();
};
