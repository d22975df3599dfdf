/** What lies under a point, with every number of it and why it is marked, in sentences. */

import type { ChartBar } from '../series/chart-bar.ts';
import type { KeptObject } from '../series/object-series.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';

export interface CellHit {
  readonly bar: ChartBar;
  readonly column: number;
  /** The row's lowest and highest price in ticks. */
  readonly low: number;
  readonly high: number;
  readonly bid: number;
  readonly ask: number;
  readonly unknown: number;
  readonly volume: number;
  readonly delta: number;
  /** Of the bar's volume, 0 to 1. */
  readonly share: number;
  /** Sentences; the first words up to the full stop name the mark. */
  readonly why: readonly string[];
}

/** An object of a layer under the pointer. */
export interface ObjectHit {
  readonly layerKey: string;
  readonly object: KeptObject;
}

/** The cell at a point; null beside the bars, in a gap, and where a bar has no volume by price. */
export function cellAt(
  _scene: ChartScene,
  _input: SceneInput,
  _x: number,
  _y: number,
): CellHit | null {
  return null;
}

/** The topmost object of a layer at a point. */
export function objectAt(
  _scene: ChartScene,
  _input: SceneInput,
  _x: number,
  _y: number,
): ObjectHit | null {
  return null;
}
