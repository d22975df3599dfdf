/**
 * Indicators that the page sums from the bars it has, instead of subscribing to them: equal to the service's objects,
 * object by object, for every session that is wholly loaded. Only what changed is summed again.
 */

import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { BarChoice } from '../spec/chart-spec.ts';
import type { BarSeries } from './bar-series.ts';
import { ObjectSeries } from './object-series.ts';
import type { SessionSpan } from './sessions.ts';

/** What can be summed. */
export const SUMMED = ['delta', 'vwap', 'volume-profile', 'unfinished-auctions'] as const;
export type Summed = (typeof SUMMED)[number];

export interface SumsOptions {
  /** Those of the bars that will be summed. */
  readonly bar: BarChoice;
  /** Absent: all that the bars permit. */
  readonly wanted?: readonly Summed[];
  /** Of the profile and the unfinished auctions; absent ones have the defaults of the indicator. */
  readonly profile?: GivenParams;
  readonly unfinished?: GivenParams;
}

/** What the feed knows beyond the bars. */
export interface LoadedExtent {
  /** All bars since this instant are loaded; null: not known. A session is also whole if a bar of an earlier one is here. */
  readonly fromNs: bigint | null;
  /** How far the chart has the tape; null: not known. */
  readonly tapeNs: bigint | null;
}

export class SessionSums {
  readonly delta = new ObjectSeries<'delta'>();
  readonly vwap = new ObjectSeries<'vwap'>();
  readonly profile = new ObjectSeries<'volume-profile'>();
  readonly unfinished = new ObjectSeries<'unfinished-auctions'>();

  constructor(_options: SumsOptions) {}

  /** `sessions`: the trading days of the chart, whatever the kind of the bars' sessions is. */
  update(_bars: BarSeries, _sessions: readonly SessionSpan[], _extent?: LoadedExtent): void {}
}

/**
 * Whether a layer can be summed from footprints with rows of `levelsGroup` ticks. Parameters of bars that the layer
 * does not give are those of the chart.
 */
export function canSum(
  indicator: string,
  _params: GivenParams,
  _bar: BarChoice,
  _levelsGroup = 1,
): indicator is Summed {
  return SUMMED.includes(indicator as Summed);
}
