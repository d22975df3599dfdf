/**
 * All layers of a chart: those of its spec, and those that its panes and its side need. A layer of the spec serves a
 * pane too. A feed fills `ChartContent.layers` by these keys, summed here or subscribed.
 */

import type { ChartSpec, LayerSpec, Pane } from './chart-spec.ts';

const PANES: Readonly<Partial<Record<Pane, LayerSpec>>> = {
  'cumulative-delta': implied('pane.delta', 'delta'),
  'tape-speed': implied('pane.tape-speed', 'tape-speed'),
};
const SIDES: Readonly<Partial<Record<ChartSpec['side'], LayerSpec>>> = {
  profile: implied('side.profile', 'volume-profile'),
  tpo: implied('side.tpo', 'tpo'),
};

/** Those of the spec first; each of the others only if no layer of the spec has its indicator. */
export function chartLayers({ layers, panes, side }: ChartSpec): readonly LayerSpec[] {
  const needed = [...panes.map((pane) => PANES[pane]), SIDES[side]].filter(
    (layer) => layer !== undefined,
  );
  const named = new Set(layers.map(({ indicator }) => indicator));
  return [...layers, ...needed.filter(({ indicator }) => !named.has(indicator))];
}

/** The layer that shows an indicator in a pane or at the side; null if the chart has none. */
export function layerShowing(spec: ChartSpec, indicator: string): LayerSpec | null {
  return chartLayers(spec).find((layer) => layer.indicator === indicator) ?? null;
}

function implied(key: string, indicator: string): LayerSpec {
  return { key, indicator, params: {}, isHidden: false };
}
