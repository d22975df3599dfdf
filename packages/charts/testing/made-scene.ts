/** Contents and inputs of scenes for tests: made footprints, objects of any layer, and a chart that shows them. */

import type { IndicatorObject } from '@tapeloom/client/stream';
import { chartLayout } from '../src/scene/chart-layout.ts';
import { chartScene } from '../src/scene/chart-scene.ts';
import * as drawings from '../src/scene/drawing-painters.ts';
import * as objects from '../src/scene/object-painters.ts';
import type { ChartScene, SceneInput } from '../src/scene/scene-types.ts';
import { timeTexts } from '../src/scene/time-text.ts';
import { fitted, openingWindow } from '../src/scene/window.ts';
import { BarSeries } from '../src/series/bar-series.ts';
import { ChartContent } from '../src/series/chart-content.ts';
import { ObjectSeries } from '../src/series/object-series.ts';
import { type ChartSpec, DEFAULT_CHART } from '../src/spec/chart-spec.ts';
import { type Footprint, madeFootprints, madeSessions } from './made-market.ts';

export interface MadeScene {
  readonly bars?: readonly Footprint[];
  readonly tickSizeNanos?: number;
  readonly columnWidth?: number;
  readonly width?: number;
  readonly height?: number;
  readonly spec?: Partial<ChartSpec>;
  readonly input?: Partial<SceneInput>;
}

/** With all painters. */
export function wholeScene(input: SceneInput): ChartScene {
  return chartScene(input, { objects, drawings });
}

/** What a service would send for one level after another of the same bar's range. */
export function footprintOf(
  id: string,
  ts: bigint,
  levels: readonly (readonly [price: number, bid: number, ask: number])[],
  part: Partial<Footprint['data']> = {},
): Footprint {
  const bid = levels.reduce((sum, level) => sum + level[1], 0);
  const ask = levels.reduce((sum, level) => sum + level[2], 0);
  const [low, high] = [levels[0]?.[0] ?? 0, levels.at(-1)?.[0] ?? 0];
  const data = {
    ...{ open: low, close: high, high, low, volume: bid + ask, bid, ask, unknown: 0 },
    ...{ trades: levels.length, delta: ask - bid, deltaMin: -bid, deltaMax: ask },
    ...{ end: `${ts + 300_000_000_000n}`, levels, poc: low, vah: high, val: low, imbalances: [] },
    ...part,
  };
  return { id, final: true, ts, data };
}

export function madeContent(bars: readonly Footprint[], tickSizeNanos = 250_000_000): ChartContent {
  const content = new ChartContent(new BarSeries());
  content.instrument = {
    ...{ name: 'ES.c.0', contract: 'ESH6', title: 'E-mini S&P 500', tickSizeNanos },
    timeZone: 'America/Chicago',
  };
  content.bars.putAll(bars);
  content.sessions = madeSessions(Math.max(1, bars.length));
  return content;
}

/** Puts objects on a layer of that key. */
export function putLayer(
  content: ChartContent,
  key: string,
  objects: readonly IndicatorObject<string>[],
): ObjectSeries {
  const series = new ObjectSeries();
  for (const object of objects) series.put(object);
  content.layers.set(key, { objects: series, state: { t: 'ready' }, isSummedHere: false });
  return series;
}

export function madeInput(content: ChartContent, made: MadeScene = {}): SceneInput {
  const { columnWidth = 110, width = 1396, height = 788 } = made;
  const spec = { ...DEFAULT_CHART, layers: [], ...made.spec };
  const layout = chartLayout({ width, height }, spec, content, made.input?.textScale ?? 1);
  const opened = openingWindow(content.bars.columns.length, columnWidth);
  return {
    ...{ content, spec, size: { width, height }, sums: null, range: null, drawings: [] },
    window: fitted(opened, layout, content, spec),
    timeText: timeTexts('utc', null),
    ...{ isStale: false, countdownText: null, textScale: 1, wantsMarks: true },
    ...made.input,
  };
}

/** A chart of made bars. */
export function madeScene(count: number, made: MadeScene = {}): SceneInput {
  return madeInput(madeContent(made.bars ?? madeFootprints(count), made.tickSizeNanos), made);
}

export function layerOf(indicator: string): ChartSpec['layers'][number] {
  return { key: `the-${indicator}`, indicator, params: {}, isHidden: false };
}
