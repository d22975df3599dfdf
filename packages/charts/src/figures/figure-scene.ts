/**
 * The input of every figure: candles, and an indicator's objects over the same time. A study run or the service provides
 * it.
 */

import type { Params } from '@tapeloom/core/studies/indicator';
import type { BarsData } from '@tapeloom/protocol/indicators';
import type { SvgOptions } from '../paint/svg-painter.ts';

export type CandleData = Pick<BarsData, 'open' | 'high' | 'low' | 'close' | 'end'>;

export interface FigureObject<Data> {
  readonly id: string;
  readonly final: boolean;
  /** The object's own time, in nanoseconds since 1970. */
  readonly ts: bigint;
  readonly data: Data;
  /** When the object was removed; null if it outlives the scene. */
  readonly removedNs: bigint | null;
}

export interface FigureScene<Data> {
  readonly title: string;
  readonly subtitle: string;
  /** False: the page shows title and subtitle beside the figure, which then reserves no space. Default true. */
  readonly hasHead?: boolean;
  readonly colours: SvgOptions['colours'];
  /** In pixels; default 860. A narrow figure has its legend below. */
  readonly width?: number;
  readonly tickSizeNanos: number;
  /** All parameters of the indicator, defaults included. */
  readonly params: Params;
  /** At least one, ascending by time. */
  readonly candles: readonly FigureObject<CandleData>[];
  /** Ascending by time: objects of the window, and earlier ones that reach into it. */
  readonly objects: readonly FigureObject<Data>[];
}

/** Draws a scene as an SVG document. */
export type Draw<Data> = (scene: FigureScene<Data>) => string;

/** The smallest and the largest of any number of values; `[Infinity, -Infinity]` for none. */
export function extentOf(values: Iterable<number>): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** The largest `size` of the items, at least `least`. */
export function largestOf<Item>(
  items: Iterable<Item>,
  size: (item: Item) => number,
  least = 1,
): number {
  let most = least;
  for (const item of items) most = Math.max(most, size(item));
  return most;
}
