/**
 * All layers of a chart: those of its spec, and those that its panes and its side need. A layer of the spec serves a
 * pane too. A feed fills `ChartContent.layers` by these keys, summed here or subscribed.
 */

import type { ChartSpec, LayerSpec, Pane } from './chart-spec.ts';

const PANES: Readonly<Partial<Record<Pane, LayerSpec>>> = {
  'cumulative-delta': implied('delta'),
  'tape-speed': implied('tape-speed'),
};
const SIDES: Readonly<Partial<Record<ChartSpec['side'], LayerSpec>>> = {
  profile: implied('volume-profile'),
  tpo: implied('tpo'),
};

/** Keys that only layers of that indicator may have. */
export const IMPLIED_KEYS: readonly string[] = ['delta', 'tape-speed', 'volume-profile', 'tpo'];

/** Those of the spec first; each of the others, under the id of its indicator, only if no layer of the spec has it. */
export function chartLayers({ layers, panes, side }: ChartSpec): readonly LayerSpec[] {
  const needed = [...panes.map((pane) => PANES[pane]), SIDES[side]].filter(
    (layer) => layer !== undefined,
  );
  const named = new Set(layers.map(({ indicator }) => indicator));
  return [...layers, ...needed.filter(({ indicator }) => !named.has(indicator))];
}

function implied(indicator: string): LayerSpec {
  return { key: indicator, indicator, params: {}, isHidden: false };
}
