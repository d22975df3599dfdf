/**
 * Where a chart looks, through time: it follows the end, stands still while older bars are put in front, glides and lets
 * prices find their fit. Gestures change it at once; `step` does what a frame does.
 */

import type { ChartLayout, ChartSize } from '../scene/chart-layout.ts';
import {
  atEnd,
  clamped,
  eased,
  fitted,
  isAtEnd,
  nsOfPlace,
  openingWindow,
  panBy,
  placeOfNs,
  type ViewWindow,
  zoomPrice,
  zoomTime,
} from '../scene/window.ts';
import type { BarSeries } from '../series/bar-series.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { easedPart, type Glide, glided } from './motion.ts';

/** From a column at the left edge on, older bars are wanted. */
const BACK_COLUMNS = 2;
/** Space between the crosshair's column and the edge, in columns. */
const REVEAL_COLUMNS = 1;
const COLUMN_WIDTH = { wide: 112, narrow: 101, candles: 8 };
const NARROW_PX = 560;

/** A bar by which columns of the bars before and after a change are matched. */
interface Anchor {
  readonly id: string;
  readonly ns: bigint;
  readonly column: number;
  /** At the right edge of the plot, for bars that have nothing in common with those before. */
  readonly rightNs: bigint;
}

/** Pixels of a column at first. */
export function openingWidth({ look }: ChartSpec, { width }: ChartSize): number {
  if (look === 'candles') return COLUMN_WIDTH.candles;
  return width < NARROW_PX ? COLUMN_WIDTH.narrow : COLUMN_WIDTH.wide;
}

export class Viewport {
  #window: ViewWindow;
  #count = 0;
  #anchor: Anchor | null = null;
  #follows = true;
  #glide: Glide | null = null;
  /** Prices come to their fit at once. */
  #snaps = true;

  constructor(columnWidth: number) {
    this.#window = openingWindow(0, columnWidth);
  }

  get window(): ViewWindow {
    return this.#window;
  }

  /** New bars move the picture. */
  get follows(): boolean {
    return this.#follows;
  }

  get isGliding(): boolean {
    return this.#glide !== null;
  }

  /** The left edge of the loaded bars is on screen, or about to be. */
  seesBegin({ plotWidth }: ChartLayout): boolean {
    const { right, columnWidth } = this.#window;
    return this.#count > 0 && right - plotWidth / columnWidth < BACK_COLUMNS;
  }

  /**
   * Takes changed bars over. Returns by how many columns the bars that were known have moved, for everything else that
   * counts columns.
   */
  take(bars: BarSeries): number {
    const count = bars.columns.length;
    if (count === 0) return 0;
    const anchor = this.#anchor;
    const known = anchor === null ? -1 : bars.indexOf(anchor.id);
    const { right } = this.#window;
    const fromEnd = right - this.#count;
    let shift = 0;
    if (anchor === null) this.#window = atEnd(this.#window, count);
    else {
      const column = known >= 0 ? known : Math.round(placeOfNs(bars, anchor.ns));
      shift = column - anchor.column;
      const moved = known >= 0 ? right + shift : placeOfNs(bars, anchor.rightNs);
      this.#window = { ...this.#window, right: this.#follows ? count + fromEnd : moved };
    }
    this.#snaps ||= known < 0;
    this.#count = count;
    this.#remember(bars);
    return shift;
  }

  /** One frame: true if there is more to come. */
  step(
    ms: number,
    layout: ChartLayout,
    content: ChartContent,
    spec: ChartSpec,
    hasMotion: boolean,
  ): boolean {
    this.#glideOn(ms, layout);
    if (this.#count > 0) this.#window = clamped(this.#window, layout, this.#count);
    this.#remember(content.bars);
    const goal = fitted(this.#window, layout, content, spec);
    const share = this.#snaps || !hasMotion ? 1 : easedPart(ms);
    this.#snaps = false;
    this.#window = eased(this.#window, goal, share);
    const isThere =
      this.#window.tickHeight === goal.tickHeight && this.#window.middle === goal.middle;
    return this.#glide !== null || !isThere;
  }

  pan(layout: ChartLayout, dx: number, dy: number): void {
    this.#moved(panBy(this.#window, layout, dx, dy, this.#count));
  }

  /** `x` null: the right edge stays. */
  zoomTime(layout: ChartLayout, factor: number, x: number | null): void {
    const at = x === null ? layout.plotWidth : Math.min(x, layout.plotWidth);
    this.#moved(zoomTime(this.#window, layout, factor, at, this.#count));
  }

  zoomPrice(layout: ChartLayout, factor: number): void {
    this.#window = zoomPrice(this.#window, layout, factor);
  }

  setColumnWidth(layout: ChartLayout, width: number): void {
    this.zoomTime(layout, width / this.#window.columnWidth, null);
  }

  fit(): void {
    this.#window = { ...this.#window, isAuto: true };
  }

  glide(speed: number): void {
    this.#glide = { speed };
  }

  still(): void {
    this.#glide = null;
  }

  end(): void {
    this.still();
    this.#window = { ...atEnd(this.#window, this.#count), isAuto: true };
    this.#follows = true;
  }

  /** The first bar at the left edge, or this far from it. */
  home({ plotWidth }: ChartLayout, room = 0): void {
    this.#jump((plotWidth - room) / this.#window.columnWidth);
  }

  halfScreen(layout: ChartLayout, by: 1 | -1): void {
    this.still();
    this.pan(layout, (-by * layout.plotWidth) / 2, 0);
  }

  /** The instant in the middle. */
  goTo(layout: ChartLayout, bars: BarSeries, ns: bigint): void {
    this.#jump(placeOfNs(bars, ns) + layout.plotWidth / this.#window.columnWidth / 2);
  }

  /** Moves as little as needed to have the column on screen. */
  reveal({ plotWidth }: ChartLayout, column: number): void {
    const { right, columnWidth } = this.#window;
    const span = plotWidth / columnWidth;
    const air = Math.min(REVEAL_COLUMNS, span / 4);
    if (column + 1 > right) this.#jump(column + 1 + air);
    else if (column < right - span) this.#jump(column + span - air);
  }

  /** At the right edge; null while the chart follows its end. */
  rightNs(bars: BarSeries): bigint | null {
    return this.#follows || this.#count === 0 ? null : nsOfPlace(bars, this.#window.right);
  }

  setRightNs(bars: BarSeries, ns: bigint | null): void {
    if (ns === null) this.end();
    else this.#jump(placeOfNs(bars, ns));
  }

  #jump(right: number): void {
    this.still();
    this.#moved({ ...this.#window, right });
  }

  #moved(window: ViewWindow): void {
    this.#window = window;
    this.#follows = isAtEnd(window, this.#count);
  }

  #glideOn(ms: number, layout: ChartLayout): void {
    if (this.#glide === null) return;
    const { dx, left } = glided(this.#glide, ms);
    const before = this.#window.right;
    this.pan(layout, dx, 0);
    this.#glide = this.#window.right === before ? null : left;
  }

  #remember(bars: BarSeries): void {
    const { columns } = bars;
    if (columns.length === 0 || columns.length !== this.#count) return;
    const at = Math.min(columns.length - 1, Math.max(0, Math.floor(this.#window.right) - 1));
    for (let column = at; column >= 0; column -= 1) {
      const bar = columns[column]!;
      if (bar.kind === 'gap') continue;
      const rightNs = nsOfPlace(bars, this.#window.right);
      this.#anchor = { id: bar.id, ns: bar.fromNs, column, rightNs };
      return;
    }
  }
}
