/**
 * Writes the chart of every indicator, wide and small, below `docs/charts/`; without an entry here, with its defaults.
 */

import { drawFigure } from '@tapeloom/charts/figures/draw-figure';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { docsPath } from '../docs-path.ts';
import {
  FIRST_HALF_HOUR,
  MORNING,
  REGULAR_HOURS,
  SceneMaker,
  SESSION_SO_FAR,
  WEEK,
  type Window,
} from './scene.ts';

/** The window and the parameters that show an indicator best. */
const SHOWN: Readonly<Record<string, readonly [Window, Params]>> = {
  bars: [MORNING, { size: 120 }],
  footprint: [FIRST_HALF_HOUR, { size: 300, group: 4 }],
  delta: [MORNING, { size: 120, session: 'rth' }],
  'volume-profile': [MORNING, { period: 1_800, session: 'rth', group: 2 }],
  vwap: [MORNING, { size: 60, session: 'rth' }],
  imbalances: [MORNING, { size: 120, minVolume: 20 }],
  sweeps: [MORNING, { levels: 5 }],
  tpo: [REGULAR_HOURS, { session: 'rth', group: 8 }],
  'naked-levels': [WEEK, {}],
  'unfinished-auctions': [MORNING, { size: 300, minVolume: 5 }],
  'tape-speed': [MORNING, { session: 'rth' }],
  'session-levels': [SESSION_SO_FAR, { session: 'rth' }],
};

/** The width of charts for lists and phones, where the indicator's name stands beside them. */
const SMALL_WIDTH = 420;

export interface ChartFile {
  /** The indicator, and the variant of its chart. */
  readonly id: string;
  readonly path: string;
  readonly text: string;
}

export function* chartFiles(): Iterable<ChartFile> {
  const makers = new SceneMaker();
  for (const indicator of INDICATORS) {
    const { id } = indicator;
    const [window, params] = SHOWN[id] ?? [MORNING, {}];
    const scene = makers.make(indicator, params, window);
    yield { id, path: docsPath(`charts/${id}.svg`), text: `${drawFigure(id, scene)}\n` };
    const small = { ...scene, hasHead: false, width: SMALL_WIDTH };
    yield {
      id: `${id}-small`,
      path: docsPath(`charts/${id}-small.svg`),
      text: `${drawFigure(id, small)}\n`,
    };
  }
}
