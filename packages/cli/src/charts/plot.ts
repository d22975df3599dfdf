/**
 * The frame of a chart: title, axes, grid, and the mapping of instants and values to pixels. A chart has one plot for
 * prices and optionally a second one below it, over the same time.
 */

import { formatPrice } from '@tapeloom/core/price';
import { type CandleData, extentOf, type Scene, type SceneObject } from './scene.ts';
import {
  type Anchor,
  CHART_WIDTH,
  lineBetween,
  num,
  path,
  rect,
  svgDocument,
  text,
} from './svg.ts';
import { TimeAxis } from './time-axis.ts';

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
const LABEL_LETTER_WIDTH = 6.4;
const LABEL_HEIGHT = 11;
const ZONED_LABEL_ROOM = 72;
const LEGEND_LETTER_WIDTH = 6.1;
const CANDLE_WIDTH_MAX = 48;

export interface PlotOptions {
  /** Height of the second plot; 0: none. */
  readonly paneHeight?: number;
  /** Prices the plot must include besides those of the candles, in ticks. */
  readonly reach?: Iterable<number>;
  readonly priceHeight?: number;
  /** Width left of the candles that stays empty. */
  readonly gutter?: number;
}

export class Plot {
  /** Where the time axis begins. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly paneTop: number;
  readonly paneBottom: number;
  readonly #scene: Scene<unknown>;
  readonly #axis: TimeAxis;
  /** Slot index of each candle by id: several candles may begin at the same time. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #width: number;
  readonly #low: number;
  readonly #high: number;
  readonly #body: string[] = [];
  #legendRows = 0;
  readonly #labels: { readonly left: number; readonly right: number; readonly y: number }[] = [];

  constructor(scene: Scene<unknown>, options: PlotOptions = {}) {
    this.#scene = scene;
    this.#width = scene.width ?? CHART_WIDTH;
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
    const slots = scene.candles.map(({ ns, data }) => ({ startNs: ns, endNs: BigInt(data.end) }));
    this.#axis = new TimeAxis(slots, this.left, this.right);
    this.#places = new Map(scene.candles.map(({ id }, index) => [id, index]));
    this.#axes();
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
  leftOf({ id, ns }: Pick<SceneObject<unknown>, 'id' | 'ns'>): number {
    const place = this.#places.get(id);
    return place === undefined ? this.x(ns) : this.left + place * this.candleWidth;
  }

  /** The middle of an object that belongs to a candle. */
  middleOf(object: Pick<SceneObject<unknown>, 'id' | 'ns'>): number {
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
    return formatPrice(Math.round(ticks), this.#scene.tickSizeNanos);
  }

  add(...elements: readonly string[]): void {
    this.#body.push(...elements.filter((element) => element !== ''));
  }

  /** Hollow if they rose, filled if they fell: the two colours are reserved for buyers and sellers. */
  candles(tone = ''): void {
    const { candles } = this.#scene;
    const wicks = candles.map((it) => this.#wick(it));
    const side = (is: (bar: CandleData) => boolean) =>
      candles.filter(({ data }) => is(data)).map((it) => this.#candleBody(it));
    const rose = side((bar) => bar.close >= bar.open);
    const fell = side((bar) => bar.close < bar.open);
    this.add(
      path(`s-ink ${tone}`.trim(), wicks),
      path(`s-ink hollow ${tone}`.trim(), rose),
      path(`ink ${tone}`.trim(), fell),
    );
  }

  /** Labels a price at the right edge of the plot. */
  tag(colour: string, ticks: number, words: string): void {
    this.label(colour, this.right - 4, this.y(ticks) - 3, words, 'end');
  }

  /** Writes a small text unless it would cover an earlier one; returns whether it did. */
  label(colour: string, x: number, y: number, words: string, anchor: Anchor = 'middle'): boolean {
    const width = words.length * LABEL_LETTER_WIDTH;
    const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
    const isCovered = this.#labels.some(
      (it) => Math.abs(it.y - y) < LABEL_HEIGHT && left < it.right && it.left < left + width,
    );
    if (isCovered) return false;
    this.#labels.push({ left, right: left + width, y });
    this.add(text(`${colour} bold num small halo`, x, y, words, anchor));
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
    const lines: string[] = [];
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
      lines.push(lineBetween(this.left, y(value), this.right, y(value)));
      this.add(text('faint num', this.right + 6, y(value) + 4, format(value + 0)));
    }
    this.#body.unshift(path('s-grid', lines));
    return y;
  }

  /** The legend: a coloured square and a text per entry, in the upper right corner or at the bottom. */
  legend(entries: readonly (readonly [string, string])[]): void {
    const widths = entries.map(([, words]) => words.length * LEGEND_LETTER_WIDTH + 28);
    let x = this.#isNarrow ? LEFT : this.#width - widths.reduce((sum, width) => sum + width, 0);
    let y = this.#isNarrow ? this.paneBottom + AXIS_HEIGHT + 6 : 30;
    if (this.#isNarrow) this.#legendRows = 1;
    for (const [index, [colour, words]] of entries.entries()) {
      if (this.#isNarrow && x > LEFT && x + widths[index]! > this.#width) {
        x = LEFT;
        y += LEGEND_ROW;
        this.#legendRows += 1;
      }
      this.add(rect(colour, x, y - 8.5, 9, 9, 2), text('faint', x + 14, y, words));
      x += widths[index]!;
    }
  }

  document(): string {
    const { title, subtitle, theme, hasHead = true } = this.#scene;
    const height = this.paneBottom + AXIS_HEIGHT + this.#legendRows * LEGEND_ROW;
    const head = hasHead
      ? [text('ink head', LEFT, 30, title), text('faint', LEFT, 48, subtitle)]
      : [];
    const size = { width: this.#width, height };
    return svgDocument(size, title, subtitle, [...head, ...this.#body], theme);
  }

  get #isNarrow(): boolean {
    return this.#width < NARROW;
  }

  #axes(): void {
    const lines: string[] = [];
    const { tickSizeNanos } = this.#scene;
    const perPoint = 1e9 / tickSizeNanos;
    const step = Math.max(1, niceStep((this.#high - this.#low) / perPoint / GRID_LINES) * perPoint);
    for (let at = Math.ceil(this.#low / step) * step; at <= this.#high; at += step) {
      lines.push(lineBetween(LEFT, this.y(at), this.right, this.y(at)));
      this.add(text('faint num', this.right + 6, this.y(at) + 4, this.price(at)));
    }
    const labels = this.#axis.labels();
    for (const [index, { x, words }] of labels.entries()) {
      lines.push(lineBetween(x, this.top, x, this.paneBottom));
      // The first label names the time zone, and needs more room for it.
      if (index > 0 && x - labels[0]!.x < ZONED_LABEL_ROOM) continue;
      const anchor = x < this.left + 16 ? 'start' : x > this.right - 16 ? 'end' : 'middle';
      const zoned = index === 0 ? `${words} UTC` : words;
      this.add(text('faint num', x, this.paneBottom + 18, zoned, anchor));
    }
    this.#body.unshift(path('s-grid', lines));
  }

  #wick(candle: SceneObject<CandleData>): string {
    const { data } = candle;
    const x = this.middleOf(candle);
    const above = lineBetween(x, this.y(data.high), x, this.y(Math.max(data.open, data.close)));
    const below = lineBetween(x, this.y(Math.min(data.open, data.close)), x, this.y(data.low));
    return `${above}${below}`;
  }

  #candleBody(candle: SceneObject<CandleData>): string {
    const { data } = candle;
    const width = this.bodyWidth;
    const x = this.middleOf(candle) - width / 2;
    const top = this.y(Math.max(data.open, data.close));
    const height = Math.max(1, this.y(Math.min(data.open, data.close)) - top);
    return `M${num(x)} ${num(top)}h${num(width)}v${num(height)}h${num(-width)}z`;
  }
}

/** A signed number, with a true minus. */
export function signed(value: number): string {
  return value.toLocaleString('en').replace('-', '−');
}

/** 1, 2, 2.5 or 5 times a power of ten, not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= least)!;
}
