/**
 * What a chart subscribes: its bars, and each layer that the page cannot sum. Parameters at their defaults are left
 * out, since a plan counts every other subscription as a custom configuration.
 */

import type { GivenParams } from '@tapeloom/core/studies/indicator';
import { canSum } from '../series/sums.ts';
import { chartLayers } from '../spec/chart-layers.ts';
import type { BarChoice, BarKind, ChartSpec, LayerSpec } from '../spec/chart-spec.ts';

/** The key of the bars among the topics of a chart. */
export const BARS = 'bars';
/** The most objects of a snapshot: free where the parameters are custom in any case. */
const DEPTH_MAX = 5_000;
export const DEPTH_DEFAULT = 500;

export interface Topic {
  /** `bars`, or the key of a layer. */
  readonly key: string;
  readonly indicator: string;
  /** Those that differ from the defaults. */
  readonly params: GivenParams;
}

const SIZES: Readonly<Record<BarKind, number>> = {
  time: 60,
  tick: 1_000,
  volume: 1_000,
  range: 8,
  delta: 500,
  renko: 8,
};

/**
 * How long objects of an indicator last. `point`: a bar or an event. `session`: until its session closes. `carried`:
 * until a `remove`, which may come sessions later.
 */
export type Lasting = 'point' | 'session' | 'carried';

interface Kind {
  readonly lasting: Lasting;
  readonly isOfBars: boolean;
  readonly hasDepth: boolean;
}

const POINT: Kind = { lasting: 'point', isOfBars: false, hasDepth: true };
const POINT_OF_BARS: Kind = { lasting: 'point', isOfBars: true, hasDepth: true };
const SESSION: Kind = { lasting: 'session', isOfBars: false, hasDepth: false };
const CARRIED: Kind = { lasting: 'carried', isOfBars: false, hasDepth: false };
const CARRIED_OF_BARS: Kind = { ...CARRIED, isOfBars: true };

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['bars', POINT_OF_BARS],
  ['footprint', POINT_OF_BARS],
  ['delta', POINT_OF_BARS],
  ['vwap', POINT_OF_BARS],
  ['large-trades', POINT],
  ['absorption', POINT],
  ['sweeps', POINT],
  ['tape-speed', POINT],
  ['volume-profile', { ...SESSION, hasDepth: true }],
  ['tpo', SESSION],
  ['session-levels', SESSION],
  ['naked-levels', CARRIED],
  ['imbalances', CARRIED_OF_BARS],
  ['unfinished-auctions', CARRIED_OF_BARS],
]);

/** Null: this page does not know the indicator. */
export function lastingOf(indicator: string): Lasting | null {
  return KINDS.get(indicator)?.lasting ?? null;
}

export function hasLevels({ look }: ChartSpec): boolean {
  return look !== 'candles';
}

export function barsTopic(spec: ChartSpec): Topic {
  if (!hasLevels(spec)) return topicOf(BARS, 'bars', spec.bar, {});
  // Which row reached its volume first only the service knows.
  const { pocTie } = spec.rules;
  return topicOf(BARS, 'footprint', spec.bar, pocTie === 'first' ? { pocTie } : {});
}

/** Parameters of bars that the layer does not give are those of the chart. */
export function layerTopic({ bar }: ChartSpec, { key, indicator, params }: LayerSpec): Topic {
  return topicOf(key, indicator, bar, params);
}

/** `isSummed`: the page knows the sessions, so it sums what it can. */
export function chartTopics(spec: ChartSpec, isSummed: boolean): readonly Topic[] {
  const subscribed = chartLayers(spec).filter((layer) => !isSummed || !isSummable(spec, layer));
  return [barsTopic(spec), ...subscribed.map((layer) => layerTopic(spec, layer))];
}

/** Of several layers of an indicator, only those that are like the first are summed. */
export function isSummable(spec: ChartSpec, { indicator, params }: LayerSpec): boolean {
  const first = chartLayers(spec).find((layer) => layer.indicator === indicator);
  const isLikeFirst = JSON.stringify(first?.params) === JSON.stringify(params);
  return isLikeFirst && canSum(indicator, params, spec.bar, hasLevels(spec) ? 1 : null);
}

/** Of history, where a depth says nothing. */
export function withoutDepth({ params }: Topic): GivenParams {
  const { depth: _, ...computing } = params;
  return computing;
}

/** "large trades", as in a sentence. */
export function topicName({ indicator }: Pick<Topic, 'indicator'>): string {
  return WORDS[indicator] ?? indicator.replaceAll('-', ' ');
}

const WORDS: Readonly<Record<string, string>> = { vwap: 'VWAP', tpo: 'TPO' };

function topicOf(key: string, indicator: string, bar: BarChoice, given: GivenParams): Topic {
  const kind = KINDS.get(indicator);
  if (kind === undefined) return { key, indicator, params: given };
  const session = { session: bar.session };
  const ofBars = kind.isOfBars ? sizeOf(bar, given) : {};
  const params = withoutDefaults({ ...session, ...ofBars, ...given });
  const isCustom = Object.keys(params).length > 0;
  const depth = isCustom && kind.hasDepth ? { depth: DEPTH_MAX } : {};
  return { key, indicator, params: { ...depth, ...params } };
}

/** A layer of other bars than the chart's has the size that it gives, or the default of its kind. */
function sizeOf({ kind, size }: BarChoice, { bar = kind }: GivenParams): GivenParams {
  return { bar, size: bar === kind ? size : SIZES[bar as BarKind] };
}

function withoutDefaults(params: GivenParams): GivenParams {
  const { bar = 'time', size, session = 'full', depth = DEPTH_DEFAULT, ...others } = params;
  return {
    ...others,
    ...(bar === 'time' ? {} : { bar }),
    ...(size === undefined || size === SIZES[bar as BarKind] ? {} : { size }),
    ...(session === 'full' ? {} : { session }),
    ...(depth === DEPTH_DEFAULT ? {} : { depth }),
  };
}
