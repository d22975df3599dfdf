/** Figures of prices that stay relevant for a while: zones, levels left behind, and the day's levels. */

import { paint, segment } from '../scene/shapes.ts';
import { type Draw, extentOf, type FigureObject, type FigureScene } from './figure-scene.ts';
import { BEHIND, DASH, FAR, Plot } from './plot.ts';

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
  const shown = near(scene, ({ low }) => low, plot);
  for (const [dye, alpha] of [
    ['ask', FAR],
    ['bid', FAR],
    ['ask', BEHIND],
    ['bid', BEHIND],
  ] as const) {
    const zones = plot.shapes.rects(paint(dye, alpha), 2);
    for (const { ts, removedNs, data } of shown) {
      if (data.side > 0 !== (dye === 'ask') || (removedNs === null) !== (alpha === BEHIND))
        continue;
      const [left, right] = [plot.x(ts), plot.until(removedNs)];
      const top = plot.y(data.high + 0.5);
      zones.add4(left, top, Math.max(2, right - left), plot.y(data.low - 0.5) - top);
    }
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
  plot.candles(BEHIND);
  const lines = plot.shapes.lines(paint('neutral'));
  for (const [price, same] of Map.groupBy(levels, (level) => level.price)) {
    const y = plot.y(price);
    segment(lines, plot.left, y, plot.right, y);
    const words = `${same.map((it) => wordsOf(it.kind)).join(', ')} ${plot.price(price)}`;
    for (let x = plot.left + 4; x < plot.right - 200; x += LABEL_STEP) {
      if (plot.label('ink', x, y - 7, words, 'left')) break;
    }
  }
  return plot.document();
};

/** Open levels beyond the candles but near enough for the price to reach next. */
function aheadOf({ candles, objects }: FigureScene<KindPriceData>): readonly number[] {
  const [low, high] = extentOf(candles.flatMap(({ data }) => [data.low, data.high]));
  const near = Math.max(1, (high - low) * NEAR_SHARE);
  return objects.flatMap(({ removedNs, data: { price } }) =>
    removedNs === null && price !== null && price >= low - near && price <= high + near
      ? [price]
      : [],
  );
}

/** Lines from each level's origin to where it was traded, or to the end; one kind stands out. */
function drawRays(kind: string, itsWords: string, otherWords: string): Draw<KindPriceData> {
  return (scene) => {
    const plot = new Plot(scene, { reach: aheadOf(scene) });
    plot.candles(BEHIND);
    const shown = near(scene, ({ price }) => price ?? Number.NaN, plot);
    for (const isOpen of [false, true]) {
      for (const dye of ['neutral', 'ink'] as const) {
        const alpha = isOpen ? 1 : BEHIND;
        const lines = plot.shapes.lines(paint(dye, alpha), isOpen ? 1.5 : 1, isOpen ? [] : DASH);
        for (const { ts, removedNs, data } of shown) {
          if ((removedNs === null) !== isOpen || (data.kind === kind) !== (dye === 'ink')) continue;
          const y = plot.y(data.price!);
          segment(lines, plot.x(ts), y, plot.until(removedNs), y);
        }
      }
    }
    for (const { removedNs, data } of shown) {
      if (removedNs !== null) continue;
      const dye = data.kind === kind ? 'ink' : 'axis';
      plot.tag(dye, data.price!, `${data.kind} ${plot.price(data.price!)}`);
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
  scene: FigureScene<Data>,
  priceOf: (data: Data) => number,
  plot: Plot,
): readonly FigureObject<Data>[] {
  const isIn = (y: number) => y >= plot.top && y <= plot.bottom;
  return scene.objects.filter(({ data }) => isIn(plot.y(priceOf(data))));
}

/** `previousHigh` → `previous high`. */
function wordsOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
