/** Opens a market for serving or reading it. */

import { FilesMarket } from './files-market.ts';
import type { Market } from './market.ts';
import type { MarketSetting } from './market-setting.ts';
import { ReplayDataset } from './replay/replay-dataset.ts';
import { SimDataset } from './sim/sim-dataset.ts';
import { StillMarket } from './still/still-market.ts';

export function openMarket(setting: MarketSetting): Market {
  switch (setting.kind) {
    case 'sim':
      return new SimDataset({ seed: setting.seed, printsScale: setting.printsScale });
    case 'replay':
      return new ReplayDataset(setting);
    case 'push':
    case 'venue':
    case 'composite':
      return new FilesMarket(setting.listed, new Map(), new Map());
    case 'still':
      return new StillMarket();
    default:
      return setting satisfies never;
  }
}
