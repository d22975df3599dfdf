/** Charts of values per bar: the bars themselves, cumulative delta, VWAP and tape speed. */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { BarsData, DeltaData, TapeSpeedData, VwapData } from '@tapeloom/protocol/indicators';
import { Plot, signed } from './plot.ts';
import { type Draw, extentOf, largestOf, type SceneObject } from './scene.ts';
import { lineBetween, num, path, polyline, rect, text } from './svg.ts';

const PANE_HEIGHT = 96;
/** Where objects outnumber pixels, only this many of the most significant are drawn. */
const MARKS_MAX = 700;
const thousands = (value: number) => value.toLocaleString('en');

export const drawBars: Draw<BarsData> = (scene) => {
  const plot = new Plot(scene, { paneHeight: PANE_HEIGHT });
  plot.candles();
  const y = plot.paneScale(
    0,
    largestOf(scene.objects, ({ data }) => data.volume),
    thousands,
  );
  const width = plot.bodyWidth;
  for (const [colour, from, to] of [
    ['bid', () => 0, (bar: BarsData) => bar.bid],
    ['ask', (bar: BarsData) => bar.bid, (bar: BarsData) => bar.bid + bar.ask],
    ['neutral', (bar: BarsData) => bar.bid + bar.ask, (bar: BarsData) => bar.volume],
  ] as const) {
    const boxes = scene.objects.map((object) => {
      const { data } = object;
      const x = plot.middleOf(object) - width / 2;
      const height = y(from(data)) - y(to(data));
      return `M${num(x)} ${num(y(to(data)))}h${num(width)}v${num(height)}h${num(-width)}z`;
    });
    plot.add(path(colour, boxes));
  }
  plot.add(text('faint', plot.left, plot.paneTop - 4, 'volume by aggressor'));
  plot.legend([
    ['bid', 'sold at the bid'],
    ['ask', 'bought at the ask'],
    ['neutral', 'unknown'],
  ]);
  return plot.document();
};

export const drawDelta: Draw<DeltaData> = (scene) => {
  const plot = new Plot(scene, { paneHeight: 190, priceHeight: 210 });
  plot.candles('o3');
  const [low, high] = extentOf(scene.objects.flatMap(({ data }) => [0, data.low, data.high]));
  const y = plot.paneScale(low, high, signed);
  const wicks = scene.objects.map((object) => {
    const x = plot.middleOf(object);
    return lineBetween(x, y(object.data.high), x, y(object.data.low));
  });
  const closes = scene.objects.map((it) => [plot.middleOf(it), it.data.close] as const);
  plot.add(path('s-neutral o3', wicks));
  for (const [colour, part] of [
    ['ask', (close: number) => Math.max(0, close)],
    ['bid', (close: number) => Math.min(0, close)],
  ] as const) {
    const edge = withZeros(closes).map(([x, close]) => [x, y(part(close))] as const);
    const ends = [edge.at(0)?.[0] ?? plot.left, edge.at(-1)?.[0] ?? plot.left] as const;
    const area = [[ends[0], y(0)] as const, ...edge, [ends[1], y(0)] as const];
    plot.add(
      path(`${colour} o2`, [`${polyline(area)}z`]),
      path(`s-${colour} w15`, above(edge, y(0))),
    );
  }
  plot.add(path('s-faint dash', [lineBetween(plot.left, y(0), plot.right, y(0))]));
  plot.add(text('faint', plot.left, plot.paneTop - 4, 'cumulative delta since the open, in lots'));
  return plot.document();
};

/** The points of a line, with its zero crossings inserted. */
function withZeros(
  points: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  return points.flatMap(([x, value], index) => {
    const before = points[index - 1];
    if (before === undefined || before[1] * value >= 0) return [[x, value] as const];
    const share = before[1] / (before[1] - value);
    return [[before[0] + share * (x - before[0]), 0] as const, [x, value] as const];
  });
}

/** The segments of a line that do not lie on the base. */
function above(points: readonly (readonly [number, number])[], base: number): readonly string[] {
  const parts: string[] = [];
  points.forEach(([x, y], index) => {
    const before = points[index - 1];
    if (before === undefined || (before[1] === base && y === base)) return;
    parts.push(lineBetween(before[0], before[1], x, y));
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
  const endOf = (object: SceneObject<VwapData>) =>
    barNs === null ? plot.leftOf(object) + plot.candleWidth : plot.x(object.ns + barNs);
  const at = (pick: (data: VwapData) => number) =>
    scene.objects.map((object) => {
      const y = Math.min(plot.bottom, Math.max(plot.top, plot.y(pick(object.data))));
      return [endOf(object), y] as const;
    });
  const band = (upper: (data: VwapData) => number, lower: (data: VwapData) => number) =>
    path('neutral o1', [`${polyline([...at(upper), ...at(lower).toReversed()])}z`]);
  plot.add(
    band(
      (it) => it.upper3,
      (it) => it.lower3,
    ),
    band(
      (it) => it.upper2,
      (it) => it.lower2,
    ),
    band(
      (it) => it.upper1,
      (it) => it.lower1,
    ),
  );
  plot.candles('o3');
  plot.add(path('s-ink w15', [polyline(at((data) => data.vwap))]));
  const last = scene.objects.at(-1);
  if (last !== undefined) {
    plot.tag('ink', last.data.vwap, 'VWAP');
    plot.tag('faint', last.data.upper1, '+1 deviation');
    plot.tag('faint', last.data.lower1, '−1 deviation');
  }
  return plot.document();
};

export const drawTapeSpeed: Draw<TapeSpeedData> = (scene) => {
  const plot = new Plot(scene, { paneHeight: 170, priceHeight: 210 });
  plot.candles();
  const y = plot.paneScale(
    0,
    largestOf(scene.objects, ({ data }) => data.rate),
    thousands,
  );
  // A second is narrower than a pixel: of every few seconds only the fastest is drawn.
  const seen = everyFastest(scene.objects);
  const rates = seen.map(({ ns, data }) => [plot.x(ns), y(data.rate)] as const);
  const averages = seen.map(({ ns, data }) => [plot.x(ns), y(data.average)] as const);
  const ends = [rates.at(0)?.[0] ?? plot.left, rates.at(-1)?.[0] ?? plot.left] as const;
  const area = [[ends[0], y(0)] as const, ...rates, [ends[1], y(0)] as const];
  const bursts = seen
    .filter(({ data }) => data.burst)
    .map(({ ns, data }) => lineBetween(plot.x(ns), y(0), plot.x(ns), y(data.rate)));
  plot.add(
    path('neutral o2', [`${polyline(area)}z`]),
    path('s-neutral', [polyline(rates)]),
    path('s-ink', bursts),
    path('s-ink w15 dash', [polyline(averages)]),
    text('faint', plot.left, plot.paneTop - 4, 'trades per second'),
  );
  plot.legend([
    ['neutral', 'rate'],
    ['ink', 'burst'],
    ['s-ink dash', 'average'],
  ]);
  return plot.document();
};

function everyFastest(
  objects: readonly SceneObject<TapeSpeedData>[],
): SceneObject<TapeSpeedData>[] {
  const count = Math.max(1, Math.ceil(objects.length / MARKS_MAX));
  const fastest: SceneObject<TapeSpeedData>[] = [];
  for (let at = 0; at < objects.length; at += count) {
    const some = objects.slice(at, at + count);
    fastest.push(some.reduce((best, next) => (next.data.rate > best.data.rate ? next : best)));
  }
  return fastest;
}

/** For an indicator without a drawing of its own: its first numeric field, as sticks below the candles. */
export const drawAny: Draw<unknown> = (scene) => {
  const plot = new Plot(scene, { paneHeight: PANE_HEIGHT });
  plot.candles();
  const records = scene.objects.map(({ data }) => Object(data) as Record<string, unknown>);
  const fields = new Set(records.flatMap((record) => Object.keys(record)));
  const field = [...fields].find((it) => records.some((record) => typeof record[it] === 'number'));
  if (field === undefined) return plot.document();
  const values = records.map((record) => Number(record[field] ?? 0));
  const [low, high] = extentOf([0, ...values]);
  const y = plot.paneScale(low, high, thousands);
  plot.add(
    ...scene.objects.map(({ ns }, at) => {
      const [zero, value] = [y(0), y(values[at]!)];
      return rect('ink', plot.x(ns), Math.min(zero, value), 2, Math.abs(zero - value));
    }),
    text('faint', plot.left, plot.paneTop - 4, field),
  );
  return plot.document();
};
