/**
 * What a chart shows: candles, and the objects of an indicator over the same time. Whoever has them,
 * from a study run or from the service, can have them drawn; a drawing reads nothing else.
 */

import type { BarsData } from '@tapeloom/protocol/indicators';
import type { Theme } from './svg.ts';

export type CandleData = Pick<BarsData, 'open' | 'high' | 'low' | 'close' | 'end'>;

export interface SceneObject<Data> {
  readonly id: string;
  readonly final: boolean;
  readonly ns: bigint;
  readonly data: Data;
  /** When it was removed; null when it is still there at the end of the scene. */
  readonly removedNs: bigint | null;
}

export interface Scene<Data> {
  readonly title: string;
  readonly subtitle: string;
  /** False: title and subtitle are told beside the chart, which has no room for them. True unless told. */
  readonly hasHead?: boolean;
  readonly theme: Theme;
  /** In pixels; 860 unless told. A narrow chart has its key below. */
  readonly width?: number;
  readonly tickSizeNanos: number;
  /** All parameters of the indicator, defaults included. */
  readonly params: Readonly<Record<string, number | string | boolean>>;
  /** At least one, ascending by time. */
  readonly candles: readonly SceneObject<CandleData>[];
  /** Ascending by time: those of the window, and earlier ones that reach into it. */
  readonly objects: readonly SceneObject<Data>[];
}

/** The chart of a scene, as an SVG document. */
export type Draw<Data> = (scene: Scene<Data>) => string;

/** The smallest and the largest of some numbers, which may be many; `[Infinity, -Infinity]` of none. */
export function extentOf(values: Iterable<number>): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** The largest of what `size` says of the items, and not below `least`. */
export function largestOf<Item>(
  items: Iterable<Item>,
  size: (item: Item) => number,
  least = 1,
): number {
  let most = least;
  for (const item of items) most = Math.max(most, size(item));
  return most;
}
