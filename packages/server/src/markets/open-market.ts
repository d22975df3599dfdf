/** Makes a market known to whoever serves or reads it. */

import type { Market } from './market.ts';
import type { MarketSetting } from './market-setting.ts';
import { SimDataset } from './sim/sim-dataset.ts';

export function openMarket(setting: MarketSetting): Market {
  switch (setting.kind) {
    case 'sim':
      return new SimDataset({ seed: setting.seed, printsScale: setting.printsScale });
    default:
      return setting.kind satisfies never;
  }
}
