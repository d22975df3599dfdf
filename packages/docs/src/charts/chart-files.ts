/**
 * The chart of every indicator in the catalogue, as a file below `docs/charts/`. An indicator without a
 * drawing of its own gets a plain one, so the list of indicators is the only list there is to keep.
 */

import { fileURLToPath } from 'node:url';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import {
  anyDrawing,
  barsDrawing,
  deltaDrawing,
  tapeSpeedDrawing,
  vwapDrawing,
} from './bar-drawings.ts';
import type { Drawing } from './drawing.ts';
import { absorptionDrawing, largeTradesDrawing, sweepsDrawing } from './event-drawings.ts';
import { footprintDrawing } from './footprint-drawing.ts';
import {
  imbalancesDrawing,
  nakedLevelsDrawing,
  sessionLevelsDrawing,
  unfinishedAuctionsDrawing,
} from './level-drawings.ts';
import { tpoDrawing, volumeProfileDrawing } from './profile-drawings.ts';
import { SceneMaker } from './scene.ts';

const DRAWINGS: Readonly<Record<string, Drawing>> = {
  bars: barsDrawing,
  footprint: footprintDrawing,
  'large-trades': largeTradesDrawing,
  delta: deltaDrawing,
  'volume-profile': volumeProfileDrawing,
  vwap: vwapDrawing,
  imbalances: imbalancesDrawing,
  absorption: absorptionDrawing,
  sweeps: sweepsDrawing,
  tpo: tpoDrawing,
  'naked-levels': nakedLevelsDrawing,
  'unfinished-auctions': unfinishedAuctionsDrawing,
  'tape-speed': tapeSpeedDrawing,
  'session-levels': sessionLevelsDrawing,
};

export interface ChartFile {
  readonly id: string;
  readonly path: string;
  readonly text: string;
}

export function* chartFiles(): Iterable<ChartFile> {
  const makers = new SceneMaker();
  for (const indicator of INDICATORS) {
    const { id } = indicator;
    const text = (DRAWINGS[id] ?? anyDrawing).draw(indicator, makers);
    yield { id, path: chartPath(id), text };
  }
}

function chartPath(id: string): string {
  return fileURLToPath(new URL(`../../../../docs/charts/${id}.svg`, import.meta.url));
}
