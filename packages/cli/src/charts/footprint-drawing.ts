/** The chart of `footprint`: what traded at each price of a bar, as traders read it. */

import type { FootprintData } from '@tapeloom/protocol/indicators';
import { legend, Plot } from './plot.ts';
import { type Draw, extentOf, largestOf, type SceneObject } from './scene.ts';
import { lineBetween, path, rect, text } from './svg.ts';

/** A row that is high enough to be read, and how high the plot may become for its sake. */
const ROW_HEIGHT = 13;
const HEIGHT_MIN = 400;
const HEIGHT_MAX = 900;
/** Cells that are smaller than this show colour only. */
const NUMBERS_HEIGHT = 8.5;
/** A column that has all the room it wants is not wider than this. */
const COLUMN_WIDTH_MAX = 220;
/** Of a column: what is beside its cells, and what one digit takes. */
const COLUMN_EDGE = 28;
const DIGIT_WIDTH = 6.3;

export const drawFootprint: Draw<FootprintData> = (scene) => {
  const group = Number(scene.params.group);
  // A row is named by its lowest price.
  const [low, highest] = extentOf(
    scene.objects.flatMap(({ data }) => data.levels.map((it) => it[0])),
  );
  const rows = (highest - low) / group + 1;
  const priceHeight = Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, rows * ROW_HEIGHT));
  const plot = new Plot(scene, { priceHeight, reach: [low, highest + group - 1] });
  const largest = largestOf(scene.objects, ({ data }) =>
    largestOf(data.levels, ([, bid, ask]) => Math.max(bid, ask)),
  );
  const numbersWidth = String(largest).length * 2 * DIGIT_WIDTH + COLUMN_EDGE;
  const hasNumbers = plot.candleWidth >= numbersWidth && plot.tickHeight * group >= NUMBERS_HEIGHT;
  for (const bar of scene.objects) addBar(plot, bar, group, hasNumbers);
  plot.add(
    ...legend([
      ['sell', 'sell imbalance'],
      ['buy', 'buy imbalance'],
      ['gold', 'point of control'],
      ['accent', 'value area'],
    ]),
  );
  return plot.document();
};

function addBar(
  plot: Plot,
  bar: SceneObject<FootprintData>,
  group: number,
  hasNumbers: boolean,
): void {
  const { data } = bar;
  const edge = Math.min(4, plot.candleWidth * 0.1);
  const left = plot.leftOf(bar) + edge;
  const width = Math.min(plot.candleWidth, COLUMN_WIDTH_MAX) - edge * 2.5;
  const height = plot.tickHeight * group;
  const gap = height > 4 ? 1 : 0;
  const round = height > 4 ? 2 : 0;
  const rising = data.close >= data.open ? 'buy' : 'sell';
  plot.add(
    path(`s-${rising}`, [lineBetween(left, plot.y(data.high), left, plot.y(data.low))]),
    path(`s-${rising} o3`, [lineBetween(left - 3, plot.y(data.open), left, plot.y(data.open))]),
  );
  const bodyTop = plot.y(Math.max(data.open, data.close));
  const bodyBottom = plot.y(Math.min(data.open, data.close));
  plot.add(rect(rising, left - 2, bodyTop, 4, Math.max(1, bodyBottom - bodyTop)));
  const most = largestOf(data.levels, ([, bid, ask]) => bid + ask);
  const [cellLeft, cellWidth] = [left + 5, width - 6];
  const middle = left + width / 2 + 4;
  for (const [price, bid, ask] of data.levels) {
    // A row covers the ticks from its price on.
    const top = plot.y(price + group - 0.5);
    const share = (bid + ask) / most;
    const has = (side: number) => data.imbalances.some((it) => it[0] === price && it[1] === side);
    const tone = hasNumbers ? 'o1' : has(1) || has(-1) ? '' : 'o3';
    const colour = ask >= bid ? 'buy' : 'sell';
    plot.add(
      rect(`${colour} ${tone}`.trim(), cellLeft, top, cellWidth * share, height - gap, round),
    );
    if (hasNumbers) {
      const baseline = top + height / 2 + 3.5;
      plot.add(
        text(has(-1) ? 'sell bold num' : 'ink num', middle - 6, baseline, String(bid), 'end'),
        text('faint small', middle, baseline, '×', 'middle'),
        text(has(1) ? 'buy bold num' : 'ink num', middle + 6, baseline, String(ask)),
      );
    }
    if (price === data.poc) {
      plot.add(rect('s-gold w15', cellLeft, top, cellWidth, Math.max(1, height - gap), round));
    }
  }
  if (data.vah !== null && data.val !== null) {
    const [top, bottom] = [plot.y(data.vah + group - 0.5), plot.y(data.val - 0.5)];
    plot.add(rect('accent', left + width + 1, top, 2, bottom - top, 1));
  }
}
