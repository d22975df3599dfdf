/** Charts of prices that stay relevant for a while: zones, levels left behind, and the day's levels. */

import { Plot } from './plot.ts';
import { type Draw, extentOf, type Scene, type SceneObject } from './scene.ts';
import { lineBetween, path, rect } from './svg.ts';

const LABEL_STEP = 170;
/** As a share of the candles' height: levels within this distance are shown. */
const NEAR_SHARE = 0.25;

interface ZoneData {
  readonly side: number;
  readonly low: number;
  readonly high: number;
}

interface KindPriceData {
  readonly kind: string;
  readonly price: number | null;
}

export const drawImbalances: Draw<ZoneData> = (scene) => {
  const plot = new Plot(scene);
  for (const { ns, removedNs, data } of near(scene, ({ low }) => low, plot)) {
    const colour = data.side > 0 ? 'ask' : 'bid';
    const [left, right] = [plot.x(ns), plot.until(removedNs)];
    const top = plot.y(data.high + 0.5);
    const height = plot.y(data.low - 0.5) - top;
    const tone = removedNs === null ? 'o3' : 'o2';
    plot.add(rect(`${colour} ${tone}`, left, top, Math.max(2, right - left), height, 2));
  }
  plot.candles();
  plot.legend([
    ['ask', 'buy zone'],
    ['bid', 'sell zone; pale where price traded through it later'],
  ]);
  return plot.document();
};

export const drawNakedLevels = drawRays('poc', 'point of control', 'edge of a value area');
export const drawUnfinishedAuctions = drawRays('high', 'a high', 'a low');

export const drawSessionLevels: Draw<KindPriceData> = (scene) => {
  const levels = scene.objects.flatMap(({ data }) =>
    data.price === null ? [] : [{ kind: data.kind, price: data.price }],
  );
  const plot = new Plot(scene, { reach: levels.map((it) => it.price) });
  plot.candles('o3');
  for (const [price, same] of Map.groupBy(levels, (level) => level.price)) {
    const y = plot.y(price);
    plot.add(path('s-neutral', [lineBetween(plot.left, y, plot.right, y)]));
    const words = `${same.map((it) => wordsOf(it.kind)).join(', ')} ${plot.price(price)}`;
    for (let x = plot.left + 4; x < plot.right - 200; x += LABEL_STEP) {
      if (plot.label('ink', x, y - 3, words, 'start')) break;
    }
  }
  return plot.document();
};

/** Open levels beyond the candles but near enough for the price to reach next. */
function aheadOf({ candles, objects }: Scene<KindPriceData>): readonly number[] {
  const [low, high] = extentOf(candles.flatMap(({ data }) => [data.low, data.high]));
  const near = Math.max(1, (high - low) * NEAR_SHARE);
  return objects.flatMap(({ removedNs, data: { price } }) =>
    removedNs === null && price !== null && price >= low - near && price <= high + near
      ? [price]
      : [],
  );
}

/** Lines from each level's origin to where it was traded, or to the chart's end; one kind stands out. */
function drawRays(kind: string, itsWords: string, otherWords: string): Draw<KindPriceData> {
  return (scene) => {
    const plot = new Plot(scene, { reach: aheadOf(scene) });
    plot.candles('o3');
    const shown = near(scene, ({ price }) => price ?? Number.NaN, plot);
    for (const { ns, removedNs, data } of shown) {
      const colour = data.kind === kind ? 'ink' : 'neutral';
      const y = plot.y(data.price!);
      const right = plot.until(removedNs);
      const isOpen = removedNs === null;
      const line = lineBetween(plot.x(ns), y, right, y);
      plot.add(path(isOpen ? `s-${colour} w15` : `s-${colour} o3 dash`, [line]));
      if (isOpen) plot.tag(colour, data.price!, `${data.kind} ${plot.price(data.price!)}`);
    }
    plot.legend([
      ['ink', itsWords],
      ['neutral', `${otherWords}; dashed: traded since`],
    ]);
    return plot.document();
  };
}

/** The objects whose price lies on the plot. */
function near<Data>(
  scene: Scene<Data>,
  priceOf: (data: Data) => number,
  plot: Plot,
): readonly SceneObject<Data>[] {
  const isIn = (y: number) => y >= plot.top && y <= plot.bottom;
  return scene.objects.filter(({ data }) => isIn(plot.y(priceOf(data))));
}

/** `previousHigh` → `previous high`. */
function wordsOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
