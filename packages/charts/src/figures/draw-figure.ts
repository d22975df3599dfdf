/** Draws the still chart of any indicator. One without its own figure gets a plain one, so no second list needs upkeep. */

import type { IndicatorId, IndicatorTypes } from '@tapeloom/protocol/indicators';
import { drawAny, drawBars, drawDelta, drawTapeSpeed, drawVwap } from './bar-figures.ts';
import { drawAbsorption, drawLargeTrades, drawSweeps } from './event-figures.ts';
import type { Draw, FigureScene } from './figure-scene.ts';
import { drawFootprint } from './footprint-figure.ts';
import {
  drawImbalances,
  drawNakedLevels,
  drawSessionLevels,
  drawUnfinishedAuctions,
} from './level-figures.ts';
import { drawTpo, drawVolumeProfile } from './profile-figures.ts';

const FIGURES: { readonly [Id in IndicatorId]?: Draw<IndicatorTypes[Id]['data']> } = {
  bars: drawBars,
  footprint: drawFootprint,
  'large-trades': drawLargeTrades,
  delta: drawDelta,
  'volume-profile': drawVolumeProfile,
  vwap: drawVwap,
  imbalances: drawImbalances,
  absorption: drawAbsorption,
  sweeps: drawSweeps,
  tpo: drawTpo,
  'naked-levels': drawNakedLevels,
  'unfinished-auctions': drawUnfinishedAuctions,
  'tape-speed': drawTapeSpeed,
  'session-levels': drawSessionLevels,
};

/** Returns an SVG document. The objects must carry the data of this indicator. */
export function drawFigure(indicator: string, scene: FigureScene<unknown>): string {
  const draw = Object.hasOwn(FIGURES, indicator)
    ? (FIGURES[indicator as IndicatorId] as Draw<unknown>)
    : drawAny;
  return draw(scene);
}
