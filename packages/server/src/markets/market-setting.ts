/** The settings of a market, in a form that passes between threads, and their derivation from the configuration. */

import type { Config } from '../config/config.ts';
import type {
  CompositeFeed,
  ListedDataset,
  PushedFeed,
  VenueFeed,
} from './instruments/instruments-file.ts';
import type { SharedBudget } from './live/connection/venue-budget.ts';
import type { ReplayOptions } from './replay/replay-dataset.ts';
import type { SimLiveOptions } from './sim/sim-live.ts';

/** A market whose tape grows. */
export type MarketSetting =
  | ({ readonly kind: 'sim' } & SimLiveOptions)
  | ({ readonly kind: 'replay' } & ReplayOptions)
  /** Other programs push the trades. */
  | { readonly kind: 'push'; readonly listed: ListedDataset; readonly feed: PushedFeed }
  | VenueSetting
  | CompositeSetting
  /** Time passes, but there are no trades. */
  | { readonly kind: 'still' };

/** The service connects to a venue. */
export interface VenueSetting {
  readonly kind: 'venue';
  readonly listed: ListedDataset;
  readonly feed: VenueFeed;
  /** Shared with the process's other feeds of the venue; absent: there are none. */
  readonly budget?: SharedBudget;
}

/** The trades are those of other markets of the service. */
export interface CompositeSetting {
  readonly kind: 'composite';
  readonly listed: ListedDataset;
  readonly feed: CompositeFeed;
}

/** The dataset of the instruments file behind a market; null: it is none of them. */
export function listedOf(setting: MarketSetting): ListedDataset | null {
  return 'listed' in setting ? setting.listed : null;
}

export function simSetting({
  simSeed: seed,
  simScale: printsScale,
  simDays: recentDays,
}: Pick<Config, 'simSeed' | 'simScale' | 'simDays'>): MarketSetting {
  return { kind: 'sim', seed, printsScale, recentDays };
}
