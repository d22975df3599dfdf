/** The same for the thread that writes its tape: with what trades and past days are made of. */

import type { LiveMarket } from './market.ts';
import type { MarketSetting } from './market-setting.ts';
import { ReplayLive } from './replay/replay-live.ts';
import { SimLive } from './sim/sim-live.ts';

export function openLiveMarket(setting: MarketSetting): LiveMarket {
  switch (setting.kind) {
    case 'sim':
      return new SimLive(setting);
    case 'replay':
      return new ReplayLive(setting);
    default:
      return setting satisfies never;
  }
}
