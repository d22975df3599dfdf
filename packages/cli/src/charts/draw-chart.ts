/** Draws the chart of any indicator. One without its own drawing gets a plain one, so no second list needs upkeep. */

import type { IndicatorId, IndicatorTypes } from '@tapeloom/protocol/indicators';
import { drawAny, drawBars, drawDelta, drawTapeSpeed, drawVwap } from './bar-drawings.ts';
import { drawAbsorption, drawLargeTrades, drawSweeps } from './event-drawings.ts';
import { drawFootprint } from './footprint-drawing.ts';
import {
  drawImbalances,
  drawNakedLevels,
  drawSessionLevels,
  drawUnfinishedAuctions,
} from './level-drawings.ts';
import { drawTpo, drawVolumeProfile } from './profile-drawings.ts';
import type { Draw, Scene } from './scene.ts';

const DRAWINGS: { readonly [Id in IndicatorId]?: Draw<IndicatorTypes[Id]['data']> } = {
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
export function drawChart(indicator: string, scene: Scene<unknown>): string {
  const draw = Object.hasOwn(DRAWINGS, indicator)
    ? (DRAWINGS[indicator as IndicatorId] as Draw<unknown>)
    : drawAny;
  return draw(scene);
}
