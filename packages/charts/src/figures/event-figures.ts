/** Figures of events at a moment and a price: large trades, sweeps and absorption. */

import type { AbsorptionData, LargeTradesData, SweepsData } from '@tapeloom/protocol/indicators';
import type { Numbers } from '../scene/batch.ts';
import { paint, segment, write } from '../scene/shapes.ts';
import { textWidth } from '../scene/text-width.ts';
import { type Draw, largestOf } from './figure-scene.ts';
import { BEHIND, FAR, type LegendEntry, Plot } from './plot.ts';

const SIDES: readonly LegendEntry[] = [
  ['ask', 'buyers'],
  ['bid', 'sellers'],
];
/** A disc's area shows the size. The number is written inside if it fits. */
const DISC_MAX = 15;
const DISC_MIN = 2.5;
const NUMBER = { size: 9, weight: 700 };
const DISC = { alpha: 0.3, ground: 0.82, rim: 1.5 };
/** How many marks get their number beside them. */
const NAMED = 6;

export const drawLargeTrades: Draw<LargeTradesData> = (scene) => {
  const plot = new Plot(scene);
  plot.candles(FAR);
  const most = largestOf(scene.objects, ({ data }) => data.size);
  const texts: [x: number, y: number, words: string][] = [];
  let [dye, discs]: ['ask' | 'bid' | null, Numbers | null] = [null, null];
  // Smaller discs come last, on top, so that none is hidden.
  const ordered = scene.objects.toSorted((a, b) => b.data.size - a.data.size);
  for (const { ts, data } of ordered) {
    const { side, size, last } = data;
    const own = side > 0 ? 'ask' : 'bid';
    if (own !== dye) discs = plot.shapes.discs(paint(own, DISC.alpha), DISC.ground, DISC.rim);
    dye = own;
    const [x, y] = [plot.x(ts), plot.y(last)];
    const radius = Math.max(DISC_MIN, DISC_MAX * Math.sqrt(size / most));
    discs!.add3(x, y, radius);
    const words = String(size);
    const isCovered = texts.findIndex((it) => Math.hypot(it[0] - x, it[1] - y) < DISC_MAX);
    if (isCovered >= 0) texts.splice(isCovered, 1);
    if (textWidth(words, NUMBER.size, NUMBER.weight) <= 2 * radius - 2) texts.push([x, y, words]);
  }
  const numbers = plot.shapes.words(paint('ink'), NUMBER.size, NUMBER.weight, 'center');
  for (const [x, y, words] of texts) write(numbers, x, y, words);
  plot.legend(SIDES);
  return plot.document();
};

export const drawSweeps: Draw<SweepsData> = (scene) => {
  const plot = new Plot(scene);
  plot.candles(FAR);
  for (const [dye, sign] of [
    ['ask', 1],
    ['bid', -1],
  ] as const) {
    const shafts = plot.shapes.lines(paint(dye), 1.5);
    const heads = plot.shapes.areas(paint(dye));
    for (const { ts, data } of scene.objects) {
      if (Math.sign(data.side) !== sign) continue;
      const [x, from, to] = [plot.x(ts), plot.y(data.first), plot.y(data.last)];
      segment(shafts, x, from, x, to);
      heads.points.add4(x - 3.5, to + 5 * sign, x, to);
      heads.points.add2(x + 3.5, to + 5 * sign);
      heads.ends.add(heads.points.count);
    }
  }
  for (const { ts, data } of largest(
    scene.objects,
    (it) => it.data.levels * 10_000 + it.data.size,
  )) {
    const x = plot.x(ts);
    const words = `${data.levels} prices, ${data.size} lots`;
    const align = x > plot.right - 90 ? 'right' : 'left';
    const at = x + (align === 'right' ? -6 : 6);
    plot.label(data.side > 0 ? 'ask' : 'bid', at, plot.y(data.last), words, align);
  }
  plot.legend(SIDES);
  return plot.document();
};

export const drawAbsorption: Draw<AbsorptionData> = (scene) => {
  const plot = new Plot(scene);
  plot.candles(FAR);
  for (const [dye, sign] of [
    ['ask', 1],
    ['bid', -1],
  ] as const) {
    const walls = plot.shapes.lines(paint(dye), 1.5);
    const pushes = plot.shapes.areas(paint(dye, BEHIND));
    for (const { ts, data } of scene.objects) {
      // Absorbed buyers meet a ceiling, absorbed sellers a floor.
      if (Math.sign(data.side) !== sign) continue;
      const [x, y] = [plot.x(ts), plot.y(data.price)];
      segment(walls, x - 12, y, x + 12, y);
      pushes.points.add4(x - 5, y + 7 * sign, x, y);
      pushes.points.add2(x + 5, y + 7 * sign);
      pushes.ends.add(pushes.points.count);
    }
  }
  for (const { ts, data } of largest(scene.objects, (it) => it.data.volume)) {
    const y = plot.y(data.price) + (data.side > 0 ? -8 : 8);
    plot.label('ink', plot.x(ts), y, String(data.volume));
  }
  plot.legend([
    ['ask', 'buyers absorbed'],
    ['bid', 'sellers absorbed'],
  ]);
  return plot.document();
};

/** The largest items, in their order. */
function largest<Item>(items: readonly Item[], size: (item: Item) => number): readonly Item[] {
  const named = new Set(items.toSorted((a, b) => size(b) - size(a)).slice(0, NAMED));
  return items.filter((item) => named.has(item));
}
