/** Charts of what is computed bar by bar: bars themselves, cumulative delta, VWAP and the tape's speed. */

import type { BarsData, DeltaData, TapeSpeedData, VwapData } from '@tapeloom/protocol/indicators';
import { drawing } from './drawing.ts';
import { legend, Plot } from './plot.ts';
import { MORNING, type SceneObject } from './scene.ts';
import { lineBetween, num, path, polyline, rect, text } from './svg.ts';

const PANE_HEIGHT = 96;
const thousands = (value: number) => value.toLocaleString('en');

export const barsDrawing = drawing<BarsData>(
  MORNING,
  { size: 120 },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle, paneHeight: PANE_HEIGHT });
    plot.candles();
    const most = Math.max(...scene.objects.map(({ data }) => data.volume));
    const y = plot.paneScale(0, most, thousands);
    const width = plot.candleWidth * 0.66;
    for (const [colour, from, to] of [
      ['sell', () => 0, (bar: BarsData) => bar.bid],
      ['buy', (bar: BarsData) => bar.bid, (bar: BarsData) => bar.bid + bar.ask],
      ['faint', (bar: BarsData) => bar.bid + bar.ask, (bar: BarsData) => bar.volume],
    ] as const) {
      const boxes = scene.objects.map(({ ns, data }) => {
        const x = plot.x(ns) + (plot.candleWidth - width) / 2;
        const height = y(from(data)) - y(to(data));
        return `M${num(x)} ${num(y(to(data)))}h${num(width)}v${num(height)}h${num(-width)}z`;
      });
      plot.add(path(colour, boxes));
    }
    plot.add(text('faint', plot.left, plot.paneTop - 4, 'volume by aggressor'));
    plot.add(
      ...legend([
        ['sell', 'sold at the bid'],
        ['buy', 'bought at the ask'],
        ['faint', 'unknown'],
      ]),
    );
    return plot.document();
  },
);

export const deltaDrawing = drawing<DeltaData>(
  MORNING,
  { size: 120, session: 'rth' },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, {
      title: name,
      subtitle,
      paneHeight: 190,
      priceHeight: 210,
    });
    plot.candles('o3');
    const values = scene.objects.flatMap(({ data }) => [data.low, data.high]);
    const y = plot.paneScale(Math.min(0, ...values), Math.max(0, ...values), thousands);
    const width = plot.candleWidth * 0.66;
    const middle = (ns: bigint) => plot.x(ns) + plot.candleWidth / 2;
    const box = ({ ns, data }: SceneObject<DeltaData>) => {
      const top = y(Math.max(data.open, data.close));
      const height = Math.max(1, y(Math.min(data.open, data.close)) - top);
      return `M${num(middle(ns) - width / 2)} ${num(top)}h${num(width)}v${num(height)}h${num(-width)}z`;
    };
    for (const [colour, isOf] of [
      ['buy', (data: DeltaData) => data.close >= data.open],
      ['sell', (data: DeltaData) => data.close < data.open],
    ] as const) {
      const list = scene.objects.filter(({ data }) => isOf(data));
      const wicks = list.map(({ ns, data }) =>
        lineBetween(middle(ns), y(data.high), middle(ns), y(data.low)),
      );
      plot.add(path(`s-${colour}`, wicks), path(colour, list.map(box)));
    }
    plot.add(path('s-faint dash', [lineBetween(plot.left, y(0), plot.right, y(0))]));
    plot.add(
      text('faint', plot.left, plot.paneTop - 4, 'cumulative delta since the open, in lots'),
    );
    return plot.document();
  },
);

export const vwapDrawing = drawing<VwapData>(
  MORNING,
  { size: 60, session: 'rth' },
  (scene, { name }, subtitle) => {
    const ends = scene.objects.map(({ data }) => data);
    const reach = ends.slice(5).flatMap((data) => [data.upper2, data.lower2]);
    const plot = new Plot(scene, { title: name, subtitle, reach });
    const barNs = 60_000_000_000n;
    const at = (pick: (data: VwapData) => number) =>
      scene.objects.map(({ ns, data }) => {
        const y = Math.min(plot.bottom, Math.max(plot.top, plot.y(pick(data))));
        return [plot.x(ns + barNs), y] as const;
      });
    const band = (upper: (data: VwapData) => number, lower: (data: VwapData) => number) =>
      `${polyline([...at(upper), ...at(lower).toReversed()])}z`;
    plot.add(
      path('accent o1', [
        band(
          (it) => it.upper3,
          (it) => it.lower3,
        ),
      ]),
      path('accent o1', [
        band(
          (it) => it.upper2,
          (it) => it.lower2,
        ),
      ]),
      path('accent o1', [
        band(
          (it) => it.upper1,
          (it) => it.lower1,
        ),
      ]),
    );
    plot.candles();
    plot.add(path('s-accent w15', [polyline(at((data) => data.vwap))]));
    const last = ends.at(-1)!;
    plot.tag('accent', last.vwap, 'VWAP');
    plot.tag('accent', last.upper1, '+1 deviation');
    plot.tag('accent', last.lower1, '−1 deviation');
    return plot.document();
  },
);

export const tapeSpeedDrawing = drawing<TapeSpeedData>(
  MORNING,
  { session: 'rth' },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle, paneHeight: 170, priceHeight: 210 });
    plot.candles();
    const most = Math.max(...scene.objects.map(({ data }) => data.rate));
    const y = plot.paneScale(0, most, thousands);
    // One second is less than a pixel, so of every few seconds the fastest is drawn.
    const seen = everyFastest(scene.objects, 8);
    const rates = seen.map(({ ns, data }) => [plot.x(ns), y(data.rate)] as const);
    const averages = seen.map(({ ns, data }) => [plot.x(ns), y(data.average)] as const);
    const [first, last] = [rates[0]!, rates.at(-1)!];
    const area = [[first[0], y(0)] as const, ...rates, [last[0], y(0)] as const];
    const bursts = seen
      .filter(({ data }) => data.burst)
      .map(({ ns, data }) => lineBetween(plot.x(ns), y(0), plot.x(ns), y(data.rate)));
    plot.add(
      path('accent o2', [`${polyline(area)}z`]),
      path('s-gold', bursts),
      path('s-accent', [polyline(rates)]),
      path('s-ink w15', [polyline(averages)]),
      text('faint', plot.left, plot.paneTop - 4, 'trades per second'),
    );
    plot.add(
      ...legend([
        ['accent', 'rate'],
        ['gold', 'burst'],
        ['ink', 'average'],
      ]),
    );
    return plot.document();
  },
);

function everyFastest(
  objects: readonly SceneObject<TapeSpeedData>[],
  count: number,
): SceneObject<TapeSpeedData>[] {
  const fastest: SceneObject<TapeSpeedData>[] = [];
  for (let at = 0; at < objects.length; at += count) {
    const some = objects.slice(at, at + count);
    fastest.push(some.reduce((best, next) => (next.data.rate > best.data.rate ? next : best)));
  }
  return fastest;
}

/** For an indicator that has no drawing of its own: its first number, as sticks below the candles. */
export const anyDrawing = drawing<Readonly<Record<string, unknown>>>(
  MORNING,
  {},
  (scene, { name, data }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle, paneHeight: PANE_HEIGHT });
    plot.candles();
    const fields = Object.keys(data.properties as object);
    const field = fields.find((it) => scene.objects.some((object) => isNumber(object.data[it])));
    if (field === undefined) return plot.document();
    const values = scene.objects.map((object) => Number(object.data[field] ?? 0));
    const y = plot.paneScale(Math.min(0, ...values), Math.max(0, ...values), thousands);
    plot.add(
      ...scene.objects.map(({ ns }, at) =>
        rect(
          'accent',
          plot.x(ns),
          Math.min(y(0), y(values[at]!)),
          2,
          Math.abs(y(0) - y(values[at]!)),
        ),
      ),
      text('faint', plot.left, plot.paneTop - 4, field),
    );
    return plot.document();
  },
);

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
