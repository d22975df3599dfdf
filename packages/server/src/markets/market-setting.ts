/** The settings of a market, in a form that passes between threads, and their derivation from the configuration. */

import type { Config } from '../config/config.ts';
import type { ListedDataset, LiveFeed } from './instruments/instruments-file.ts';
import type { ReplayOptions } from './replay/replay-dataset.ts';
import type { SimLiveOptions } from './sim/sim-live.ts';

/** A market whose tape grows. */
export type MarketSetting =
  | ({ readonly kind: 'sim' } & SimLiveOptions)
  | ({ readonly kind: 'replay' } & ReplayOptions)
  /** Other programs push the trades. */
  | { readonly kind: 'push'; readonly listed: ListedDataset; readonly feed: LiveFeed }
  /** Time passes, but there are no trades. */
  | { readonly kind: 'still' };

export function simSetting({
  simSeed: seed,
  simScale: printsScale,
  simDays: recentDays,
}: Pick<Config, 'simSeed' | 'simScale' | 'simDays'>): MarketSetting {
  return { kind: 'sim', seed, printsScale, recentDays };
}
