/**
 * A footprint of a page outside the chart workspace, as batches of `packages/charts`. A canvas and a picture in the HTML
 * are made here from the same content, so they are the same.
 */

import {
  type FootprintForm,
  footprintLayout,
  type RowFollower,
} from '@tapeloom/charts/scene/footprint-layout';
import { footprintScene } from '@tapeloom/charts/scene/footprint-scene';
import type { ChartScene, SceneInput } from '@tapeloom/charts/scene/scene-types';
import type { ChartContent } from '@tapeloom/charts/series/chart-content';
import {
  type CellRules,
  type ChartSpec,
  DEFAULT_CHART,
  DEFAULT_RULES,
} from '@tapeloom/charts/spec/chart-spec';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import { UTC_TEXT } from './utc-text.ts';

export interface Footprint {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
}

interface Picture {
  readonly size: SceneInput['size'];
  readonly form: FootprintForm;
  /** Where the picture before this one was. */
  readonly rows: RowFollower;
  readonly glow?: NonNullable<SceneInput['glow']>;
  readonly pool?: NonNullable<SceneInput['pool']>;
}

export function footprintPicture(
  { content, spec }: Footprint,
  { size, form, rows, ...more }: Picture,
): ChartScene {
  const layout = footprintLayout(size, spec, form);
  const window = rows.next(layout, content);
  return footprintScene(
    {
      ...{ content, spec, size, window, timeText: UTC_TEXT, ...more },
      ...{ sums: null, range: null, drawings: [], isStale: false, countdownText: null },
      textScale: 1,
    },
    layout,
  );
}

/** A footprint with delta and volume below each bar. `params` are those of its subscription. */
export function footprintSpec(
  instrument: string,
  params: GivenParams,
  part: Pick<ChartSpec, 'panes' | 'side' | 'layers'>,
): ChartSpec {
  return {
    ...DEFAULT_CHART,
    instrument,
    group: groupOf(params),
    // The indicator checked them; its other parameters are no rules of cells.
    rules: { ...DEFAULT_RULES, ...(params as Partial<CellRules>) },
    stripRows: 2,
    zone: 'utc',
    link: null,
    ...part,
  };
}

/** Ticks per row. */
export function groupOf({ group }: GivenParams): number {
  return typeof group === 'number' ? group : 1;
}
