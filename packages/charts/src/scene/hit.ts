/** What lies under a point, with every number of it and why it is marked, in sentences. */

import type { ChartBar } from '../series/chart-bar.ts';
import type { KeptObject } from '../series/object-series.ts';
import { rowsOf } from '../series/rows.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';
import { whyMarked } from './why.ts';
import { columnAtX, ticksAtY } from './window.ts';

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
  /** Sentences; the words up to the first full stop name the mark. */
  readonly why: readonly string[];
}

/** An object of a layer under the pointer. */
interface ObjectHit {
  readonly layerKey: string;
  readonly object: KeptObject;
}

/** Around an object's picture. */
const NEAR_PX = 2;

/** The cell at a point; null beside the bars, in a gap, and where a bar has no volume by price. */
export function cellAt(
  { window, layout, cell }: ChartScene,
  { content, spec }: SceneInput,
  x: number,
  y: number,
): CellHit | null {
  const { main } = layout;
  if (x < 0 || x >= layout.plotWidth || y < main.y || y >= main.y + main.height) return null;
  const column = columnAtX(window, layout, x);
  const bar = content.bars.columns[column];
  if (bar === undefined || bar.kind === 'gap' || bar.levels === null) return null;
  const rows = rowsOf(bar, cell.group, spec.rules);
  const row = Math.floor((ticksAtY(window, layout, y) - rows.first) / rows.group);
  if (row < 0 || row >= rows.count) return null;
  const [bid, ask, unknown] = [rows.bid[row]!, rows.ask[row]!, rows.unknown[row]!];
  const volume = bid + ask + unknown;
  const low = rows.first + row * rows.group;
  return {
    ...{ bar, column, low, high: low + rows.group - 1 },
    ...{ bid, ask, unknown, volume, delta: ask - bid },
    share: bar.volume === 0 ? 0 : volume / bar.volume,
    why: whyMarked(rows, row, spec.rules),
  };
}

/** The topmost object of a layer at a point; the smallest one of several at about the same height. */
export function objectAt(
  { targets }: ChartScene,
  { content, sums }: SceneInput,
  x: number,
  y: number,
): ObjectHit | null {
  let found: ChartScene['targets'][number] | null = null;
  for (const target of targets) {
    const isInside =
      x >= target.x - NEAR_PX &&
      x <= target.x + target.width + NEAR_PX &&
      y >= target.y - NEAR_PX &&
      y <= target.y + target.height + NEAR_PX;
    if (!isInside) continue;
    const isSmaller = found === null || target.width * target.height <= found.width * found.height;
    if (isSmaller) found = target;
  }
  if (found === null) return null;
  const { layerKey, id } = found;
  const object = content.layers.get(layerKey)?.objects.get(id) ?? sums?.unfinished.get(id);
  return object === undefined ? null : { layerKey, object };
}
