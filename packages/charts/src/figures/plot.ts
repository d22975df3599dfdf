/**
 * The frame of a figure: title, axes, grid, and the mapping of instants and values to pixels. A figure has one plot for
 * prices and optionally a second one below it, over the same time.
 */

import { paintSvg } from '../paint/svg-painter.ts';
import type { Align, Dye, LinesBatch, Numbers, WordsBatch } from '../scene/batch.ts';
import { countText, priceText } from '../scene/number-text.ts';
import { paint, Shapes, segment, write } from '../scene/shapes.ts';
import { textWidth } from '../scene/text-width.ts';
import { extentOf, type FigureObject, type FigureScene } from './figure-scene.ts';
import { TimeAxis } from './time-axis.ts';

export const FIGURE_WIDTH = 860;
export const TEXT_SIZE = 11;
export const SMALL_SIZE = 9.5;
export const DASH = [4, 3];
/** Marks lie on candles that recede: far behind marks, behind lines. */
export const FAR = 0.28;
export const BEHIND = 0.55;

const HEAD_SIZE = 15;
const LEFT = 16;
/** For the prices, at the right edge. */
const AXIS_WIDTH = 66;
/** Top of the plot below a title; higher without one, and highest with the legend at the bottom. */
const TOP = 66;
const TOP_UNTITLED = 44;
const TOP_BARE = 14;
/** Below this width the legend moves to the bottom. */
const NARROW = 640;
const LEGEND_ROW = 18;
const PRICE_HEIGHT = 300;
const PANE_GAP = 22;
const AXIS_HEIGHT = 34;
const GRID_LINES = 6;
const LABEL_HEIGHT = 11;
/** Behind a label, so that it reads on candles. */
const PLATE_ALPHA = 0.8;
const ZONED_LABEL_ROOM = 72;
const CANDLE_WIDTH_MAX = 48;
const ROUNDING = 10;

export interface PlotOptions {
  /** Height of the second plot; 0: none. */
  readonly paneHeight?: number;
  /** Prices the plot must include besides those of the candles, in ticks. */
  readonly reach?: Iterable<number>;
  readonly priceHeight?: number;
  /** Width left of the candles that stays empty. */
  readonly gutter?: number;
}

/** How a legend shows an entry: a filled square, an outlined one, or a dashed one. */
export type LegendEntry = readonly [look: Dye | `line ${Dye}` | `dash ${Dye}`, words: string];

export class Plot {
  readonly shapes = new Shapes();
  /** Where the time axis begins. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly paneTop: number;
  readonly paneBottom: number;
  readonly #scene: FigureScene<unknown>;
  readonly #axis: TimeAxis;
  /** Slot index of each candle by id: several candles may begin at the same time. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #width: number;
  readonly #low: number;
  readonly #high: number;
  readonly #grid: LinesBatch;
  readonly #notes: { [align in Align]?: WordsBatch } = {};
  #legendRows = 0;
  readonly #labels: { readonly left: number; readonly right: number; readonly y: number }[] = [];

  constructor(scene: FigureScene<unknown>, options: PlotOptions = {}) {
    this.#scene = scene;
    this.#width = scene.width ?? FIGURE_WIDTH;
    this.right = this.#width - AXIS_WIDTH;
    const hasHead = scene.hasHead ?? true;
    this.top = hasHead ? TOP : this.#isNarrow ? TOP_BARE : TOP_UNTITLED;
    this.left = LEFT + Math.min(options.gutter ?? 0, (this.right - LEFT) / 2);
    const paneHeight = options.paneHeight ?? 0;
    this.bottom = this.top + (options.priceHeight ?? PRICE_HEIGHT);
    this.paneTop = this.bottom + (paneHeight === 0 ? 0 : PANE_GAP);
    this.paneBottom = this.paneTop + paneHeight;
    const prices = scene.candles.flatMap(({ data }) => [data.low, data.high]);
    const [low, high] = extentOf([...prices, ...(options.reach ?? [])]);
    const spare = Math.max(1, (high - low) * 0.04);
    this.#low = low - spare;
    this.#high = high + spare;
    const slots = scene.candles.map(({ ts, data }) => ({ startNs: ts, endNs: BigInt(data.end) }));
    this.#axis = new TimeAxis(slots, this.left, this.right);
    this.#places = new Map(scene.candles.map(({ id }, index) => [id, index]));
    this.#grid = this.shapes.lines(paint('grid'));
    this.#priceAxis();
    this.#timeAxis();
  }

  /** The x of an instant, clamped to the window. */
  x(ns: bigint): number {
    return this.#axis.x(ns);
  }

  /** The x of an end; the right edge if there is none. */
  until(ns: bigint | null): number {
    return ns === null ? this.right : this.x(ns);
  }

  /** The left edge of an object that belongs to a candle. */
  leftOf({ id, ts }: Pick<FigureObject<unknown>, 'id' | 'ts'>): number {
    const place = this.#places.get(id);
    return place === undefined ? this.x(ts) : this.left + place * this.candleWidth;
  }

  /** The middle of an object that belongs to a candle. */
  middleOf(object: Pick<FigureObject<unknown>, 'id' | 'ts'>): number {
    return this.leftOf(object) + this.candleWidth / 2;
  }

  /** The y of a price in ticks. */
  y(ticks: number): number {
    const share = (ticks - this.#low) / (this.#high - this.#low);
    return this.bottom - share * (this.bottom - this.top);
  }

  get tickHeight(): number {
    return (this.bottom - this.top) / (this.#high - this.#low);
  }

  /** Width of a candle's slot, gap included. */
  get candleWidth(): number {
    return this.#axis.slotWidth;
  }

  get bodyWidth(): number {
    return Math.min(this.candleWidth * 0.66, CANDLE_WIDTH_MAX);
  }

  price(ticks: number): string {
    return priceText(Math.round(ticks), this.#scene.tickSizeNanos);
  }

  /** Hollow if they rose, filled if they fell. In ink: the two dyes are for buyers and sellers. */
  candles(alpha = 1): void {
    const wicks = this.shapes.lines(paint('ink', alpha));
    const rose = this.shapes.numbers();
    const fell = this.shapes.numbers();
    for (const candle of this.#scene.candles) {
      const { data } = candle;
      const x = this.middleOf(candle);
      const [top, bottom] = [
        this.y(Math.max(data.open, data.close)),
        this.y(Math.min(data.open, data.close)),
      ];
      segment(wicks, x, this.y(data.high), x, top);
      segment(wicks, x, bottom, x, this.y(data.low));
      const bodies = data.close >= data.open ? rose : fell;
      bodies.add4(x - this.bodyWidth / 2, top, this.bodyWidth, Math.max(1, bottom - top));
    }
    this.hollows('ink', alpha, rose);
    this.shapes.rects(paint('ink', alpha), 0, fell);
  }

  /** Outlined boxes on the chart's ground. */
  hollows(dye: Dye, alpha: number, boxes: Numbers): void {
    this.shapes.rects(paint('ground', alpha), 0, boxes);
    const { values, count } = boxes;
    const frames = this.shapes.frames(paint(dye, alpha));
    for (let at = 0; at < count; at += 4) {
      frames.add4(values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!);
    }
  }

  /** A plain text at the middle of its height. */
  note(x: number, y: number, words: string, align: Align = 'left'): void {
    this.#notes[align] ??= this.shapes.words(paint('axis'), TEXT_SIZE, 400, align);
    write(this.#notes[align], x, y, words);
  }

  /** What the second plot shows. */
  paneName(words: string): void {
    this.note(this.left, this.paneTop - 8, words);
  }

  /** Labels a price at the right edge of the plot. */
  tag(dye: Dye, ticks: number, words: string): void {
    this.label(dye, this.right - 4, this.y(ticks) - 6, words, 'right');
  }

  /** Writes a small text on a plate unless it would cover an earlier one; returns whether it did. */
  label(dye: Dye, x: number, y: number, words: string, align: Align = 'center'): boolean {
    const width = textWidth(words, SMALL_SIZE, 700);
    const left = align === 'left' ? x : align === 'right' ? x - width : x - width / 2;
    const isCovered = this.#labels.some(
      (it) => Math.abs(it.y - y) < LABEL_HEIGHT && left < it.right && it.left < left + width,
    );
    if (isCovered) return false;
    this.#labels.push({ left, right: left + width, y });
    const half = SMALL_SIZE / 2 + 1;
    this.shapes.rect(paint('ground', PLATE_ALPHA), left - 3, y - half, width + 6, 2 * half, 2);
    this.shapes.word(paint(dye), SMALL_SIZE, 700, align, x, y, words);
    return true;
  }

  /** The scale of the second plot, from `low` at the bottom to `high` at the top. */
  paneScale(
    low: number,
    high: number,
    format: (value: number) => string,
  ): (value: number) => number {
    const y = (value: number) =>
      this.paneBottom - ((value - low) / (high - low || 1)) * (this.paneBottom - this.paneTop);
    const step = niceStep((high - low) / 3);
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
      segment(this.#grid, this.left, y(value), this.right, y(value));
      this.note(this.right + 6, y(value), format(value + 0));
    }
    return y;
  }

  /** The legend: a square and a text per entry, in the upper right corner or at the bottom. */
  legend(entries: readonly LegendEntry[]): void {
    const widths = entries.map(([, words]) => textWidth(words, TEXT_SIZE) + 30);
    let x = this.#isNarrow ? LEFT : this.#width - widths.reduce((sum, width) => sum + width, 0);
    let y = this.#isNarrow ? this.paneBottom + AXIS_HEIGHT + 2 : 26;
    if (this.#isNarrow) this.#legendRows = 1;
    for (const [index, [look, words]] of entries.entries()) {
      if (this.#isNarrow && x > LEFT && x + widths[index]! > this.#width) {
        x = LEFT;
        y += LEGEND_ROW;
        this.#legendRows += 1;
      }
      this.#legendMark(look, x, y);
      this.note(x + 14, y, words);
      x += widths[index]!;
    }
  }

  document(): string {
    const { title, subtitle, colours, hasHead = true } = this.#scene;
    const height = this.paneBottom + AXIS_HEIGHT + this.#legendRows * LEGEND_ROW;
    const size = { width: this.#width, height };
    const card = new Shapes();
    card.rect(paint('ground'), 0, 0, size.width, height, ROUNDING);
    card.frames(paint('line'), 1, ROUNDING).add4(0.5, 0.5, size.width - 1, height - 1);
    if (hasHead) {
      card.word(paint('ink'), HEAD_SIZE, 600, 'left', LEFT, 25, title);
      card.word(paint('axis'), TEXT_SIZE, 400, 'left', LEFT, 44, subtitle);
    }
    const told = [title, subtitle].filter((words) => words !== '').join(': ');
    return paintSvg([...card.batches, ...this.shapes.batches], size, { colours, title: told });
  }

  get #isNarrow(): boolean {
    return this.#width < NARROW;
  }

  #legendMark(look: LegendEntry[0], x: number, y: number): void {
    const [form, name] = look.includes(' ') ? look.split(' ') : ['', look];
    const dye = name as Dye;
    if (form === '') this.shapes.rect(paint(dye), x, y - 4.5, 9, 9, 2);
    else if (form === 'line') this.shapes.frames(paint(dye), 1.5, 2).add4(x, y - 4.5, 9, 9);
    else segment(this.shapes.lines(paint(dye), 1.5, [3, 2]), x - 1, y, x + 10, y);
  }

  #priceAxis(): void {
    const perPoint = 1e9 / this.#scene.tickSizeNanos;
    const step = Math.max(1, niceStep((this.#high - this.#low) / perPoint / GRID_LINES) * perPoint);
    for (let at = Math.ceil(this.#low / step) * step; at <= this.#high; at += step) {
      segment(this.#grid, LEFT, this.y(at), this.right, this.y(at));
      this.note(this.right + 6, this.y(at), this.price(at));
    }
  }

  #timeAxis(): void {
    const labels = this.#axis.labels();
    for (const [index, { x, words }] of labels.entries()) {
      segment(this.#grid, x, this.top, x, this.paneBottom);
      // The first label names the time zone, and needs more room for it.
      if (index > 0 && x - labels[0]!.x < ZONED_LABEL_ROOM) continue;
      const align = x < this.left + 16 ? 'left' : x > this.right - 16 ? 'right' : 'center';
      this.note(x, this.paneBottom + 14, index === 0 ? `${words} UTC` : words, align);
    }
  }
}

/** A path through points. */
export function through(lines: LinesBatch, points: Iterable<readonly [number, number]>): void {
  for (const [x, y] of points) lines.points.add2(x, y);
  lines.ends.add(lines.points.count);
}

/** A number of a scale. */
export function scaleText(value: number): string {
  return Number.isInteger(value) ? countText(value) : String(Math.round(value * 100) / 100);
}

/** 1, 2, 2.5 or 5 times a power of ten, not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= least)!;
}
