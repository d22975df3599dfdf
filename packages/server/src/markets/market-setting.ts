/** What a market is opened with, in a form that passes between threads; and what the configuration says of it. */

import type { Config } from '../config/config.ts';
import type { ReplayOptions } from './replay/replay-dataset.ts';
import type { SimLiveOptions } from './sim/sim-live.ts';

export type MarketSetting =
  | ({ readonly kind: 'sim' } & SimLiveOptions)
  | ({ readonly kind: 'replay' } & ReplayOptions);

export function marketSetting({
  simSeed: seed,
  simScale: printsScale,
  simDays: recentDays,
}: Pick<Config, 'simSeed' | 'simScale' | 'simDays'>): MarketSetting {
  return { kind: 'sim', seed, printsScale, recentDays };
}
