/** Which layers the page can sum from its bars, and their parameters with defaults filled in. */

import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { BarChoice } from '../spec/chart-spec.ts';

/** What can be summed. */
export const SUMMED = ['delta', 'vwap', 'volume-profile', 'unfinished-auctions'] as const;
export type Summed = (typeof SUMMED)[number];

export interface ProfileParameters {
  /** Seconds, or null: the whole session. */
  readonly periodSeconds: number | null;
  readonly group: number;
  readonly valueArea: number;
  readonly pocTie: 'centre' | 'lowest' | 'highest';
}

export interface UnfinishedParameters {
  readonly minVolume: number;
  readonly lookback: number;
}

const OF_BARS = ['bar', 'size', 'session'];

const NAMES: Readonly<Record<Summed, readonly string[]>> = {
  delta: [...OF_BARS, 'depth'],
  vwap: [...OF_BARS, 'depth'],
  'volume-profile': ['period', 'session', 'group', 'valueArea', 'pocTie', 'depth'],
  'unfinished-auctions': [...OF_BARS, 'minVolume', 'lookback'],
};

/**
 * Whether a layer can be summed from the chart's bars. `levelsGroup`: the ticks per row of their levels; null if they
 * have none. Parameters of bars that the layer does not give are those of the chart.
 */
export function canSum(
  indicator: string,
  params: GivenParams,
  bar: BarChoice,
  levelsGroup: number | null = 1,
): indicator is Summed {
  if (!SUMMED.includes(indicator as Summed)) return false;
  const names = NAMES[indicator as Summed];
  if (!Object.keys(params).every((name) => names.includes(name))) return false;
  if ((params.session ?? bar.session) !== bar.session) return false;
  if (indicator === 'volume-profile') {
    return levelsGroup !== null && profileOf(params, bar, levelsGroup) !== null;
  }
  if ((params.bar ?? bar.kind) !== bar.kind || (params.size ?? bar.size) !== bar.size) return false;
  return indicator === 'delta' || levelsGroup === 1;
}

/** Null: this profile cannot be summed. Which row reached its volume first is not known after the fact. */
export function profileOf(
  params: GivenParams,
  bar: BarChoice,
  levelsGroup: number,
): ProfileParameters | null {
  const { period = 'session', group = 1, valueArea = 70, pocTie = 'centre' } = params;
  if (typeof group !== 'number' || typeof valueArea !== 'number' || group % levelsGroup !== 0) {
    return null;
  }
  if (pocTie !== 'centre' && pocTie !== 'lowest' && pocTie !== 'highest') return null;
  // A brick's edges may lie beyond the prices that traded in it, so only its levels know its high and low.
  if (levelsGroup !== 1 && bar.kind === 'renko') return null;
  const periodSeconds = period === 'session' ? null : Number(period);
  const isCut = bar.kind === 'time' && (periodSeconds ?? 0) % bar.size === 0;
  if (periodSeconds !== null && !isCut) return null;
  return { periodSeconds, group, valueArea, pocTie };
}

export function unfinishedOf({ minVolume = 1, lookback = 1 }: GivenParams): UnfinishedParameters {
  return { minVolume: Number(minVolume), lookback: Number(lookback) };
}
