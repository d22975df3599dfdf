/** The objects of the chart's layers: subscribed ones, or those that the page sums from the footprint. */

import type { DataOf } from '@tapeloom/client/stream';
import type { KeptObject, ObjectSeries } from '../series/object-series.ts';
import type { LayerSpec } from '../spec/chart-spec.ts';
import type { Frame } from './frame.ts';
import type { SceneInput } from './scene-types.ts';

/** Whose data the drawing code knows. */
export type Known =
  | 'large-trades'
  | 'delta'
  | 'volume-profile'
  | 'vwap'
  | 'imbalances'
  | 'absorption'
  | 'sweeps'
  | 'tpo'
  | 'naked-levels'
  | 'unfinished-auctions'
  | 'tape-speed'
  | 'session-levels';

export interface Layer<I extends Known> {
  readonly key: string;
  readonly params: LayerSpec['params'];
  readonly objects: ObjectSeries<I>;
}

/** The layers of an indicator that are shown, in the chart's order. */
export function layersOf<I extends Known>(input: SceneInput, indicator: I): Layer<I>[] {
  const shown = input.spec.layers.filter((it) => it.indicator === indicator && !it.isHidden);
  return shown.flatMap(({ key, params }) => {
    const objects = objectsOf(input, key, indicator);
    return objects === null ? [] : [{ key, params, objects }];
  });
}

/** For panes and the side, which need no layer of their own: the layer's objects, else those under the indicator's id. */
export function firstLayer<I extends Known>(input: SceneInput, indicator: I): Layer<I> | null {
  const layer = input.spec.layers.find((it) => it.indicator === indicator);
  const key = layer?.key ?? indicator;
  const objects = objectsOf(input, key, indicator);
  return objects === null ? null : { key, params: layer?.params ?? {}, objects };
}

function objectsOf<I extends Known>(
  { content, sums }: SceneInput,
  key: string,
  indicator: I,
): ObjectSeries<I> | null {
  const kept = content.layers.get(key);
  if (kept !== undefined && !kept.isSummedHere) return kept.objects as ObjectSeries<I>;
  const summed = sums === null ? null : sumOf(sums, indicator);
  return (summed ?? kept?.objects ?? null) as ObjectSeries<I> | null;
}

function sumOf(sums: NonNullable<SceneInput['sums']>, indicator: Known) {
  switch (indicator) {
    case 'delta':
      return sums.delta;
    case 'vwap':
      return sums.vwap;
    case 'volume-profile':
      return sums.profile;
    case 'unfinished-auctions':
      return sums.unfinished;
    default:
      return null;
  }
}

/** The object of a bar: the one with its id, else the last one that began before the next bar. */
export function objectAtBar<I extends Known>(
  frame: Frame,
  { objects }: Layer<I>,
  column: number,
): KeptObject<I> | null {
  const bar = frame.columns[column];
  if (bar === undefined || bar.kind === 'gap') return null;
  const own = objects.get(bar.id);
  if (own !== undefined) return own;
  const { all } = objects;
  const next = frame.columns[column + 1]?.fromNs;
  const at = (next === undefined ? all.length : firstFrom(all, next)) - 1;
  const last = all[at];
  return last !== undefined && last.ts >= bar.fromNs ? last : null;
}

/** The index of the first object at or after the instant. */
export function firstFrom(all: readonly KeptObject[], ns: bigint): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.ts < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Visits the objects whose time is on screen, with their column; those in gaps are left out. */
export function eachOnScreen<I extends Known>(
  frame: Frame,
  { objects }: Layer<I>,
  visit: (object: KeptObject<I>, data: DataOf<I>, column: number) => void,
): void {
  const { columns, from, to } = frame;
  if (from >= to) return;
  const { all } = objects;
  const endNs = columns[to]?.fromNs;
  let column = from;
  for (let at = firstFrom(all, columns[from]!.fromNs); at < all.length; at += 1) {
    const object = all[at]!;
    if (endNs !== undefined && object.ts >= endNs) return;
    while (column + 1 < to && columns[column + 1]!.fromNs <= object.ts) column += 1;
    if (columns[column]!.kind === 'bar') visit(object, object.data, column);
  }
}
