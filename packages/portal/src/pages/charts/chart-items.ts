/**
 * What is on a chart besides its bars, as chips of the legend and rows of the drawer: layers, and what the side or a
 * pane shows without a layer of its own. Bars themselves are the look and the kind of bars.
 */

import { chartLayers } from '@tapeloom/charts/spec/chart-layers';
import type { ChartSpec, Pane } from '@tapeloom/charts/spec/chart-spec';
import type { GivenParams } from '@tapeloom/core/studies/indicator';

export interface ChartItem {
  /** Of the layer; of an implied item, the place that shows it. */
  readonly key: string;
  readonly indicator: string;
  readonly params: GivenParams;
  readonly isHidden: boolean;
  /** The side or a pane shows it, and no layer says with which parameters. */
  readonly isImplied: boolean;
}

/** In the legend and in messages. */
const ORDER: readonly string[] = [
  'vwap',
  'volume-profile',
  'tpo',
  'delta',
  'large-trades',
  'imbalances',
  'session-levels',
  'absorption',
  'sweeps',
  'naked-levels',
  'unfinished-auctions',
  'tape-speed',
];
export const PANE_OF: Readonly<Record<string, Pane>> = {
  delta: 'cumulative-delta',
  'tape-speed': 'tape-speed',
};
export const SIDE_OF: Readonly<Record<string, ChartSpec['side']>> = {
  'volume-profile': 'profile',
  tpo: 'tpo',
};

export function chartItems(spec: ChartSpec): readonly ChartItem[] {
  const items = chartLayers(spec).map(
    (layer): ChartItem => ({ ...layer, isImplied: !spec.layers.includes(layer) }),
  );
  const rank = ({ indicator }: ChartItem) => {
    const at = ORDER.indexOf(indicator);
    return at === -1 ? ORDER.length : at;
  };
  return items.sort((a, b) => rank(a) - rank(b));
}

export function withItemHidden(spec: ChartSpec, key: string, isHidden: boolean): ChartSpec {
  const layers = spec.layers.map((layer) => (layer.key === key ? { ...layer, isHidden } : layer));
  return { ...spec, layers };
}

export function withoutItem(spec: ChartSpec, key: string): ChartSpec {
  const item = chartItems(spec).find((it) => it.key === key);
  if (item === undefined) return spec;
  const layers = spec.layers.filter((layer) => layer.key !== key);
  const pane = PANE_OF[item.indicator];
  const panes = pane === undefined ? spec.panes : spec.panes.filter((it) => it !== pane);
  const side = SIDE_OF[item.indicator] === spec.side ? 'none' : spec.side;
  return { ...spec, layers, panes, side };
}
