/** What a market is opened with, in a form that passes between threads; and what the configuration says of it. */

import type { Config } from '../config/config.ts';
import type { ReplayOptions } from './replay/replay-dataset.ts';
import type { SimLiveOptions } from './sim/sim-live.ts';

/** A market whose tape grows. */
export type MarketSetting =
  | ({ readonly kind: 'sim' } & SimLiveOptions)
  | ({ readonly kind: 'replay' } & ReplayOptions)
  /** Only time goes on. */
  | { readonly kind: 'still' };

export function simSetting({
  simSeed: seed,
  simScale: printsScale,
  simDays: recentDays,
}: Pick<Config, 'simSeed' | 'simScale' | 'simDays'>): MarketSetting {
  return { kind: 'sim', seed, printsScale, recentDays };
}
