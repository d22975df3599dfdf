/** All indicators, in the order of the catalogue. */

import { absorption } from './absorption.ts';
import { bars } from './bars.ts';
import { computationOf } from './computation.ts';
import { delta } from './delta.ts';
import { footprint } from './footprint.ts';
import { imbalances } from './imbalances.ts';
import type { Indicator, IndicatorDefinition } from './indicator.ts';
import { largeTrades } from './large-trades.ts';
import { nakedLevels } from './naked-levels.ts';
import { sessionLevels } from './session-levels.ts';
import { sweeps } from './sweeps.ts';
import { tapeSpeed } from './tape-speed.ts';
import { tpo } from './tpo.ts';
import { unfinishedAuctions } from './unfinished-auctions.ts';
import { volumeProfile } from './volume-profile.ts';
import { vwap } from './vwap.ts';

export const INDICATORS: readonly Indicator[] = [
  bars,
  footprint,
  largeTrades,
  delta,
  volumeProfile,
  vwap,
  imbalances,
  absorption,
  sweeps,
  tpo,
  nakedLevels,
  unfinishedAuctions,
  tapeSpeed,
  sessionLevels,
];

export function indicatorNamed(id: string): Indicator | null {
  return INDICATORS.find((indicator) => indicator.id === id) ?? null;
}

/** The name of an indicator's current computation; null if there is no such indicator. */
export function computationNamed(id: string): string | null {
  const indicator = indicatorNamed(id);
  return indicator === null ? null : computationOf(indicator);
}

/** The published definitions: everything but the functions that compute. */
export function publishedDefinitions(): readonly IndicatorDefinition[] {
  return INDICATORS.map(
    ({
      sessionKind: _sessionKind,
      lookBackSessionsMax: _lookBackSessionsMax,
      objectsOutliveSession: _objectsOutliveSession,
      create: _create,
      ...published
    }) => published,
  );
}
