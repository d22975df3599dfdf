/** The chart of `footprint`: what traded at each price of a bar, as traders read it. */

import type { FootprintData } from '@tapeloom/protocol/indicators';
import { Plot } from './plot.ts';
import { type Draw, extentOf, largestOf, type SceneObject } from './scene.ts';
import { lineBetween, num, path, rect, text, toneClass } from './svg.ts';

/** A legible row's height, and how tall the plot may grow for it. */
const ROW_HEIGHT = 13;
const HEIGHT_MIN = 400;
const HEIGHT_MAX = 900;
/** Rows lower than this show colour only. */
const NUMBERS_HEIGHT = 8.5;
const COLUMN_WIDTH_MAX = 220;
/** The margin beside a column's cells, and the width of one digit. */
const COLUMN_EDGE = 28;
const DIGIT_WIDTH = 6.3;
/** Cells outside the value area are paler. */
const OUTSIDE_SHARE = 0.42 ** 2;

export const drawFootprint: Draw<FootprintData> = (scene) => {
  const group = Number(scene.params.group);
  // A row's price is its lowest.
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
  for (const bar of scene.objects) addBar(plot, bar, { group, hasNumbers, largest });
  plot.legend([
    ['bid', 'sell imbalance'],
    ['ask', 'buy imbalance'],
    ['s-ink w15', 'point of control'],
    ['neutral', 'value area'],
  ]);
  return plot.document();
};

interface Cells {
  readonly group: number;
  readonly hasNumbers: boolean;
  /** The largest volume on one side of one row, anywhere on the chart, in lots. */
  readonly largest: number;
}

/** Bid lies left of the spine, ask right: position shows the side first, colour second. */
function addBar(plot: Plot, bar: SceneObject<FootprintData>, cells: Cells): void {
  const { data } = bar;
  const { group } = cells;
  const edge = Math.min(4, plot.candleWidth * 0.1);
  const left = plot.leftOf(bar) + edge;
  const width = Math.min(plot.candleWidth, COLUMN_WIDTH_MAX) - edge * 2.5;
  addCandle(plot, data, left);
  const column = { left: left + 6, half: (width - 8) / 2 };
  for (const level of data.levels) addLevel(plot, data, level, column, cells);
  const right = column.left + 2 * column.half;
  if (data.poc !== null) {
    const height = plot.tickHeight * group;
    const top = plot.y(data.poc + group - 0.5);
    const middle = top + height / 2;
    const wedge = Math.min(4, height / 2);
    plot.add(
      rect('s-ink w15', column.left, top, 2 * column.half, Math.max(1, height - gapOf(height))),
      path('ink', [
        `M${num(right)} ${num(middle - wedge)}L${num(right - wedge)} ${num(middle)}L${num(right)} ${num(middle + wedge)}z`,
      ]),
    );
  }
  if (data.vah !== null && data.val !== null) {
    const [top, bottom] = [plot.y(data.vah + group - 0.5), plot.y(data.val - 0.5)];
    const x = right + 3;
    plot.add(path('s-neutral', [`M${num(x - 2)} ${num(top)}h2v${num(bottom - top)}h-2`]));
  }
}

/** Hollow if the bar rose, filled if it fell. */
function addCandle(plot: Plot, data: FootprintData, x: number): void {
  const top = plot.y(Math.max(data.open, data.close));
  const bottom = plot.y(Math.min(data.open, data.close));
  plot.add(
    path('s-ink', [lineBetween(x, plot.y(data.high), x, plot.y(data.low))]),
    rect(
      data.close >= data.open ? 's-ink hollow' : 'ink',
      x - 2.5,
      top,
      5,
      Math.max(1, bottom - top),
    ),
  );
}

function addLevel(
  plot: Plot,
  data: FootprintData,
  [price, bid, ask]: FootprintData['levels'][number],
  { left, half }: { readonly left: number; readonly half: number },
  { group, hasNumbers, largest }: Cells,
): void {
  // A row covers `group` ticks, upwards from its price.
  const top = plot.y(price + group - 0.5);
  const height = plot.tickHeight * group;
  const isOutside =
    data.vah !== null && data.val !== null && (price < data.val || price > data.vah);
  const spine = left + half;
  for (const [colour, side, lots, x, lean, anchor] of [
    ['bid', -1, bid, left, -4, 'end'],
    ['ask', 1, ask, spine + 0.5, 4, 'start'],
  ] as const) {
    const isImbalance = data.imbalances.some((it) => it[0] === price && it[1] === side);
    const share = (lots / largest) * (isOutside ? OUTSIDE_SHARE : 1);
    const tone = isImbalance ? '' : toneClass(share);
    plot.add(rect(`${colour} ${tone}`.trim(), x, top, half - 0.5, height - gapOf(height)));
    if (!hasNumbers) continue;
    const ink = isImbalance ? `on-${colour} bold` : isOutside ? 'faint' : 'ink';
    plot.add(text(`${ink} num`, spine + lean, top + height / 2 + 3.5, String(lots), anchor));
  }
}

function gapOf(height: number): number {
  return height > 4 ? 1 : 0;
}
