/** The figure of `footprint`: what traded at each price of a bar, as traders read it. */

import type { FootprintData } from '@tapeloom/protocol/indicators';
import type { Dye, Numbers, WordsBatch } from '../scene/batch.ts';
import { tonePaint, toneStep } from '../scene/cell-sink.ts';
import { paint, type Shapes, segment, write } from '../scene/shapes.ts';
import { textWidth } from '../scene/text-width.ts';
import { type Draw, extentOf, type FigureObject, largestOf } from './figure-scene.ts';
import { Plot, TEXT_SIZE } from './plot.ts';

/** A legible row's height, and how tall the plot may grow for it. */
const ROW_HEIGHT = 13;
const HEIGHT_MIN = 400;
const HEIGHT_MAX = 900;
/** Rows lower than this show colour only. */
const NUMBERS_HEIGHT = 8.5;
const COLUMN_WIDTH_MAX = 220;
/** The margin beside a column's cells. */
const COLUMN_EDGE = 28;
/** Cells outside the value area are paler. */
const OUTSIDE_SHARE = 0.42 ** 2;
const BOLD = 700;

export const drawFootprint: Draw<FootprintData> = (scene) => {
  const group = Number(scene.params.group);
  // A row's price is its lowest.
  const [low, highest] = extentOf(
    scene.objects.flatMap(({ data }) => data.levels.map((it) => it[0])),
  );
  const rows = (highest - low) / group + 1;
  const priceHeight = Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, rows * ROW_HEIGHT));
  const reach = scene.objects.length === 0 ? [] : [low, highest + group - 1];
  const plot = new Plot(scene, { priceHeight, reach });
  const largest = largestOf(scene.objects, ({ data }) =>
    largestOf(data.levels, ([, bid, ask]) => Math.max(bid, ask)),
  );
  const numbersWidth = 2 * textWidth(String(largest), TEXT_SIZE) + COLUMN_EDGE;
  const hasNumbers = plot.candleWidth >= numbersWidth && plot.tickHeight * group >= NUMBERS_HEIGHT;
  const cells = new Cells(plot, { group, largest, hasNumbers });
  for (const bar of scene.objects) addCandle(plot, bar);
  for (const bar of scene.objects) cells.add(bar);
  cells.paint();
  for (const bar of scene.objects) addMarks(plot, bar, group);
  plot.legend([
    ['bid', 'sell imbalance'],
    ['ask', 'buy imbalance'],
    ['line ink', 'point of control'],
    ['neutral', 'value area'],
  ]);
  return plot.document();
};

/** The candle and the cells of a bar, from left to right. */
function columnOf(plot: Plot, bar: FigureObject<FootprintData>) {
  const edge = Math.min(4, plot.candleWidth * 0.1);
  const left = plot.leftOf(bar) + edge;
  const width = Math.min(plot.candleWidth, COLUMN_WIDTH_MAX) - edge * 2.5;
  const half = (width - 8) / 2;
  return { candle: left, left: left + 6, half, right: left + 6 + 2 * half };
}

/** Hollow if the bar rose, filled if it fell. */
function addCandle(plot: Plot, bar: FigureObject<FootprintData>): void {
  const { data } = bar;
  const x = columnOf(plot, bar).candle;
  const top = plot.y(Math.max(data.open, data.close));
  const height = Math.max(1, plot.y(Math.min(data.open, data.close)) - top);
  const { shapes } = plot;
  segment(shapes.lines(paint('ink')), x, plot.y(data.high), x, plot.y(data.low));
  const isRisen = data.close >= data.open;
  shapes.rect(paint(isRisen ? 'ground' : 'ink'), x - 2.5, top, 5, height);
  if (isRisen) shapes.frames(paint('ink')).add4(x - 2.5, top, 5, height);
}

function addMarks(plot: Plot, bar: FigureObject<FootprintData>, group: number): void {
  const { poc, vah, val } = bar.data;
  const { left, half, right } = columnOf(plot, bar);
  const { shapes } = plot;
  if (poc !== null) {
    const height = plot.tickHeight * group;
    const top = plot.y(poc + group - 0.5);
    const middle = top + height / 2;
    const wedge = Math.min(4, height / 2);
    const inside = Math.max(1, height - gapOf(height));
    shapes.frames(paint('ink'), 1.5).add4(left, top, 2 * half, inside);
    const { points, ends } = shapes.areas(paint('ink'));
    points.add4(right, middle - wedge, right - wedge, middle);
    points.add2(right, middle + wedge);
    ends.add(points.count);
  }
  if (vah !== null && val !== null) {
    const [top, bottom] = [plot.y(vah + group - 0.5), plot.y(val - 0.5)];
    const { points, ends } = shapes.lines(paint('neutral'));
    points.add4(right + 1, top, right + 3, top);
    points.add4(right + 3, bottom, right + 1, bottom);
    ends.add(points.count);
  }
}

interface CellRules {
  readonly group: number;
  readonly hasNumbers: boolean;
  /** The largest volume on one side of one row, anywhere on the figure, in lots. */
  readonly largest: number;
}

/**
 * Collects the cells of all bars by tone. Bid lies left of the spine, ask right: position shows the side first, colour
 * second.
 */
class Cells {
  readonly #plot: Plot;
  readonly #shapes: Shapes;
  readonly #rules: CellRules;
  readonly #tones = new Map<string, { dye: 'ask' | 'bid'; step: number; rects: Numbers }>();
  readonly #solid: Readonly<Record<'ask' | 'bid', Numbers>>;
  readonly #words = new Map<string, WordsBatch>();

  constructor(plot: Plot, rules: CellRules) {
    this.#plot = plot;
    this.#shapes = plot.shapes;
    this.#rules = rules;
    this.#solid = { ask: plot.shapes.numbers(), bid: plot.shapes.numbers() };
  }

  add(bar: FigureObject<FootprintData>): void {
    const { group, hasNumbers, largest } = this.#rules;
    const { data } = bar;
    const { left, half } = columnOf(this.#plot, bar);
    const height = this.#plot.tickHeight * group;
    const strong = new Set(data.imbalances.map(([price, side]) => `${price} ${side}`));
    for (const [price, bid, ask] of data.levels) {
      // A row covers `group` ticks, upwards from its price.
      const top = this.#plot.y(price + group - 0.5);
      const isOutside =
        data.vah !== null && data.val !== null && (price < data.val || price > data.vah);
      for (const [dye, side, lots, x] of [
        ['bid', -1, bid, left],
        ['ask', 1, ask, left + half + 0.5],
      ] as const) {
        const isStrong = strong.has(`${price} ${side}`);
        const step = toneStep(lots * (isOutside ? OUTSIDE_SHARE : 1), largest);
        const rects = isStrong ? this.#solid[dye] : this.#tone(dye, step);
        rects.add4(x, top, half - 0.5, height - gapOf(height));
        if (!hasNumbers) continue;
        const ink = isStrong ? (`on-${dye}` as const) : isOutside ? 'axis' : 'ink';
        const words = this.#wordsOf(ink, side, isStrong);
        write(words, left + half + side * 4, top + height / 2, String(lots));
      }
    }
  }

  /** Tones, then solid cells, then numbers. */
  paint(): void {
    for (const { dye, step, rects } of this.#tones.values()) {
      this.#shapes.rects(tonePaint(dye, step), 0, rects);
    }
    for (const dye of ['bid', 'ask'] as const) {
      this.#shapes.rects(paint(dye), 0, this.#solid[dye]);
    }
    this.#shapes.batches.push(...this.#words.values());
  }

  #tone(dye: 'ask' | 'bid', step: number): Numbers {
    const key = `${dye} ${step}`;
    const known = this.#tones.get(key);
    if (known !== undefined) return known.rects;
    const rects = this.#shapes.numbers();
    this.#tones.set(key, { dye, step, rects });
    return rects;
  }

  #wordsOf(dye: Dye, side: -1 | 1, isStrong: boolean): WordsBatch {
    const key = `${dye} ${side}`;
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const words: WordsBatch = {
      kind: 'words',
      ...paint(dye),
      ...{ size: TEXT_SIZE, weight: isStrong ? BOLD : 450, family: 'figures' },
      ...{ align: side < 0 ? 'right' : 'left', places: this.#shapes.numbers(), texts: [] },
    };
    this.#words.set(key, words);
    return words;
  }
}

function gapOf(height: number): number {
  return height > 4 ? 1 : 0;
}
