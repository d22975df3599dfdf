/** Charts of events at a moment and a price: large trades, sweeps and absorption. */

import type { AbsorptionData, LargeTradesData, SweepsData } from '@tapeloom/protocol/indicators';
import { Plot } from './plot.ts';
import { type Draw, largestOf } from './scene.ts';
import { circle, lineBetween, num, path, text } from './svg.ts';

const SIDES = [
  ['ask', 'buyers'],
  ['bid', 'sellers'],
] as const;
/** A disc's area shows the size. The number is written inside if it fits. */
const DISC_MAX = 14;
const DISC_MIN = 2.5;
const DIGIT_WIDTH = 5.6;
/** How many marks get their number beside them. */
const NAMED = 6;

export const drawLargeTrades: Draw<LargeTradesData> = (scene) => {
  const plot = new Plot(scene);
  plot.candles('o2');
  const most = largestOf(scene.objects, ({ data }) => data.size);
  const numbers: string[] = [];
  // Smaller discs come last, on top, so that none is hidden.
  const ordered = scene.objects.toSorted((a, b) => b.data.size - a.data.size);
  for (const { ns, data } of ordered) {
    const { side, size, last } = data;
    const colour = side > 0 ? 'ask' : 'bid';
    const [x, y] = [plot.x(ns), plot.y(last)];
    const radius = Math.max(DISC_MIN, DISC_MAX * Math.sqrt(size / most));
    plot.add(circle(`${colour} ring`, x, y, radius));
    const words = String(size);
    if (words.length * DIGIT_WIDTH > 2 * radius - 2) continue;
    numbers.push(text(`on-${colour} bold num small`, x, y + 3.3, words, 'middle'));
  }
  plot.add(...numbers);
  plot.legend(SIDES);
  return plot.document();
};

export const drawSweeps: Draw<SweepsData> = (scene) => {
  const plot = new Plot(scene);
  plot.candles('o2');
  const named = largest(scene.objects, ({ data }) => data.levels * 10_000 + data.size);
  for (const object of scene.objects) {
    const { side, first, last, levels, size } = object.data;
    const colour = side > 0 ? 'ask' : 'bid';
    const [x, from, to] = [plot.x(object.ns), plot.y(first), plot.y(last)];
    const back = side > 0 ? 5 : -5;
    const head = `M${num(x - 3.5)} ${num(to + back)}L${num(x)} ${num(to)}L${num(x + 3.5)} ${num(to + back)}z`;
    plot.add(path(`s-${colour} w15`, [lineBetween(x, from, x, to)]), path(colour, [head]));
    if (named.has(object)) {
      const words = `${levels} prices, ${size} lots`;
      const anchor = x > plot.right - 90 ? 'end' : 'start';
      plot.label(colour, x + (anchor === 'end' ? -6 : 6), to + 3, words, anchor);
    }
  }
  plot.legend(SIDES);
  return plot.document();
};

export const drawAbsorption: Draw<AbsorptionData> = (scene) => {
  const plot = new Plot(scene);
  plot.candles('o2');
  const named = largest(scene.objects, ({ data }) => data.volume);
  for (const object of scene.objects) {
    const { side, price, volume } = object.data;
    // Absorbed buyers meet a ceiling, absorbed sellers a floor.
    const colour = side > 0 ? 'ask' : 'bid';
    const [x, y] = [plot.x(object.ns), plot.y(price)];
    const away = side > 0 ? -7 : 7;
    plot.add(
      path(`s-${colour} w15`, [lineBetween(x - 12, y, x + 12, y)]),
      path(`${colour} o3`, [
        `M${num(x - 5)} ${num(y - away)}L${num(x)} ${num(y)}L${num(x + 5)} ${num(y - away)}z`,
      ]),
    );
    if (named.has(object)) {
      const at = side > 0 ? y - 5 : y + 12;
      plot.label('ink', x, at, String(volume));
    }
  }
  plot.legend([
    ['ask', 'buyers absorbed'],
    ['bid', 'sellers absorbed'],
  ]);
  return plot.document();
};

function largest<Item>(items: readonly Item[], size: (item: Item) => number): ReadonlySet<Item> {
  return new Set(items.toSorted((a, b) => size(b) - size(a)).slice(0, NAMED));
}
