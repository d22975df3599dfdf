/** Opens a market for the thread that writes its tape: with its source and its past days. */

import { CompositeLive } from './composite/composite-live.ts';
import { VenueLive } from './live/venue-live.ts';
import type { LiveMarket } from './market.ts';
import type { MarketSetting } from './market-setting.ts';
import { PushLive } from './push/push-live.ts';
import { ReplayLive } from './replay/replay-live.ts';
import { SimLive } from './sim/sim-live.ts';
import { StillMarket } from './still/still-market.ts';

export function openLiveMarket(setting: MarketSetting): LiveMarket {
  switch (setting.kind) {
    case 'sim':
      return new SimLive(setting);
    case 'replay':
      return new ReplayLive(setting);
    case 'push':
      return new PushLive(setting.listed, setting.feed);
    case 'venue':
      return new VenueLive(setting);
    case 'composite':
      return new CompositeLive(setting);
    case 'still':
      return new StillMarket();
    default:
      return setting satisfies never;
  }
}
