/** How a chart changes when an indicator, a pane or its bars are added or changed, and with which parameters. */

import {
  type BarChoice,
  type CellRules,
  type ChartSpec,
  DEFAULT_RULES,
  type LayerSpec,
  PANES,
  type Pane,
} from '@tapeloom/charts/spec/chart-spec';
import type {
  GivenParams,
  IndicatorDefinition,
  Params,
  ParamValue,
} from '@tapeloom/core/studies/indicator';
import { type ChartItem, chartItems, PANE_OF, SIDE_OF } from './chart-items.ts';
import { isDrawn } from './indicator-facts.ts';

/** Of the item that the bars are. */
export const BARS_KEY = 'bars';

/** The bars as an item: the footprint, or candles. */
export function barsItem(spec: ChartSpec): ChartItem {
  const isCandles = spec.look === 'candles';
  const { kind, size, session } = spec.bar;
  const bar = { bar: kind, size, session };
  const { stack: _, ...rules } = spec.rules;
  const cells = { ...rules, ...(spec.group === 'auto' ? {} : { group: spec.group }) };
  return {
    key: BARS_KEY,
    indicator: isCandles ? 'bars' : 'footprint',
    params: isCandles ? bar : { ...bar, ...cells },
    isHidden: false,
    isImplied: true,
  };
}

export function isOnChart(spec: ChartSpec, indicator: string): boolean {
  return (
    barsItem(spec).indicator === indicator ||
    chartItems(spec).some((item) => item.indicator === indicator)
  );
}

/** Adds an indicator, or changes the chart's bars if it is one of the two that make them. */
export function withIndicator(
  spec: ChartSpec,
  indicator: string,
  params: GivenParams,
  key: string,
): ChartSpec {
  if (indicator === 'footprint' || indicator === 'bars') return withBars(spec, indicator, params);
  const layer: LayerSpec = { key, indicator, params, isHidden: false };
  // The side and a pane show one of a kind: the new one takes the place of the old.
  const isAlone = indicator in PANE_OF || indicator in SIDE_OF;
  const others = isAlone ? spec.layers.filter((it) => it.indicator !== indicator) : spec.layers;
  return inPlace({ ...spec, layers: [...others, layer] }, indicator);
}

export function withItemParams(spec: ChartSpec, key: string, params: GivenParams): ChartSpec {
  const layers = spec.layers.map((layer) => (layer.key === key ? { ...layer, params } : layer));
  return { ...spec, layers };
}

/** At the end of the panes, in their usual order. */
export function withPane(spec: ChartSpec, pane: Pane): ChartSpec {
  const panes = PANES.filter((it) => it === pane || spec.panes.includes(it));
  return { ...spec, panes };
}

/** What the pane shows goes with it. */
export function withoutPane(spec: ChartSpec, pane: Pane): ChartSpec {
  const panes = spec.panes.filter((it) => it !== pane);
  const layers = spec.layers.filter(({ indicator }) => PANE_OF[indicator] !== pane);
  return { ...spec, panes, layers };
}

/** A layer key that the chart does not have yet. */
export function freeKey({ layers }: ChartSpec, indicator: string): string {
  const isTaken = (key: string) => layers.some((layer) => layer.key === key);
  for (let count = 1; ; count += 1) {
    const key = count === 1 ? indicator : `${indicator}-${count}`;
    if (!isTaken(key)) return key;
  }
}

/** What a form shows of an item: parameters of bars that it does not give are those of the chart. */
export function shownParams(
  definition: IndicatorDefinition,
  { bar }: ChartSpec,
  params: GivenParams,
): GivenParams {
  const chart = { bar: bar.kind, size: bar.size, session: bar.session };
  const following = Object.entries(chart).filter(([name]) => has(definition, name));
  return { ...Object.fromEntries(following), ...params };
}

/** What a layer keeps: what differs from the defaults, and of bars what differs from the chart's. */
export function keptParams(
  definition: IndicatorDefinition,
  spec: ChartSpec,
  read: { readonly given: GivenParams; readonly params: Params },
): GivenParams {
  const chart: Readonly<Record<string, ParamValue>> = shownParams(definition, spec, {});
  const others = Object.entries(read.given).filter(([name]) => !(name in chart));
  const own = Object.keys(chart).map((name) => [name, read.params[name]!] as const);
  const isSame = own.every(([name, value]) => chart[name] === value);
  // A size without its kind would mean something else on another chart.
  return Object.fromEntries(isSame ? others : [...own, ...others]);
}

function has({ parameters }: IndicatorDefinition, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name);
}

function inPlace(spec: ChartSpec, indicator: string): ChartSpec {
  const side = SIDE_OF[indicator] ?? spec.side;
  const pane = PANE_OF[indicator];
  const panes =
    pane === undefined || spec.panes.includes(pane) ? spec.panes : [...spec.panes, pane];
  return isDrawn(indicator) ? { ...spec, side, panes } : spec;
}

function withBars(
  spec: ChartSpec,
  indicator: 'footprint' | 'bars',
  { bar, size, session, group, ...rest }: GivenParams,
): ChartSpec {
  const next: BarChoice = {
    kind: (bar ?? 'time') as BarChoice['kind'],
    size: Number(size ?? 60),
    session: (session ?? 'full') as BarChoice['session'],
  };
  if (indicator === 'bars') return { ...spec, bar: next, look: 'candles' };
  const rules: CellRules = { ...DEFAULT_RULES, ...rest, stack: spec.rules.stack };
  const look = spec.look === 'candles' ? 'bidask' : spec.look;
  return { ...spec, bar: next, look, rules, group: group === undefined ? 'auto' : Number(group) };
}
