/** The naive twin of the volume profile: the rows of a time bar, or of one as long as its session. */

import { barData, barTwin } from './bar-twin.ts';
import { keyPricesOf, levelsOf, type ProfileParams, rowsOf } from './footprint-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

/** Longer than any session, so that the close always comes first. */
const YEAR_SECONDS = 366 * 86_400;

export interface VolumeProfileParams extends ProfileParams {
  readonly period: number | 'session';
}

export function volumeProfileTwin(tape: TwinTape, params: VolumeProfileParams): TwinUpdate[] {
  const size = params.period === 'session' ? YEAR_SECONDS : params.period;
  return barTwin(tape, { bar: 'time', size }, (bar, end) => {
    const rows = rowsOf(bar.parts, params.group);
    const { volume, delta, high, low } = barData(bar, end);
    const keys = keyPricesOf(rows, params);
    return { levels: levelsOf(rows), ...keys, volume, delta, high, low, end: String(end) };
  });
}
