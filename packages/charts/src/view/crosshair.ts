/** Where the crosshair is: under a pointer, or at a bar and a price that keys have chosen. */

import type { ChartLayout } from '../scene/chart-layout.ts';
import type { Hover } from '../scene/scene-types.ts';
import { columnAtX, ticksAtY, type ViewWindow, xOf, yOf } from '../scene/window.ts';

type Place =
  | { readonly t: 'none' }
  | { readonly t: 'pointer'; readonly x: number; readonly y: number }
  | { readonly t: 'keys'; readonly column: number; readonly ticks: number }
  /** Of a linked chart. */
  | { readonly t: 'linked'; readonly column: number; readonly ticks: number | null };

export class Crosshair {
  #place: Place = { t: 'none' };

  get isOwn(): boolean {
    return this.#place.t === 'pointer' || this.#place.t === 'keys';
  }

  get isLinked(): boolean {
    return this.#place.t === 'linked';
  }

  point(x: number, y: number): void {
    this.#place = { t: 'pointer', x, y };
  }

  put(column: number, ticks: number): void {
    this.#place = { t: 'keys', column, ticks };
  }

  /** A linked crosshair never replaces the chart's own. */
  link(column: number, ticks: number | null): void {
    if (!this.isOwn) this.#place = { t: 'linked', column, ticks };
  }

  unlink(): void {
    if (this.isLinked) this.#place = { t: 'none' };
  }

  clear(): void {
    this.#place = { t: 'none' };
  }

  shift(columns: number): void {
    const place = this.#place;
    if (place.t === 'none' || place.t === 'pointer') return;
    this.#place = { ...place, column: place.column + columns };
  }

  /** Null: beside the bars. */
  hover(window: ViewWindow, layout: ChartLayout, count: number): Hover | null {
    const place = this.#place;
    if (place.t === 'none') return null;
    if (place.t === 'pointer') {
      const column = columnAtX(window, layout, place.x);
      const isInside = place.x >= 0 && place.x <= layout.plotWidth && place.y < layout.timeAxis.y;
      return isInside && column >= 0 && column < count
        ? { column, y: place.y, isLinked: false }
        : null;
    }
    if (place.column < 0 || place.column >= count) return null;
    const y = place.ticks === null ? null : yOf(window, layout, place.ticks + 0.5);
    return { column: place.column, y, isLinked: place.t === 'linked' };
  }

  /** The price under the crosshair in whole ticks; null below the bars and for a linked one without a price. */
  ticks(window: ViewWindow, layout: ChartLayout): number | null {
    const place = this.#place;
    if (place.t === 'none') return null;
    if (place.t !== 'pointer') return place.ticks;
    const { main } = layout;
    const isInside = place.y >= main.y && place.y < main.y + main.height;
    return isInside ? Math.floor(ticksAtY(window, layout, place.y)) : null;
  }

  /** On screen; null without a crosshair or without a price. */
  screenPoint(
    window: ViewWindow,
    layout: ChartLayout,
  ): { readonly x: number; readonly y: number } | null {
    const place = this.#place;
    if (place.t === 'pointer') return { x: place.x, y: place.y };
    if (place.t !== 'keys') return null;
    return {
      x: xOf(window, layout, place.column) + window.columnWidth / 2,
      y: yOf(window, layout, place.ticks + 0.5),
    };
  }
}
