/** The markets of a service as it starts; what is wrong with them is a sentence for the operator. */

import { dayOf } from '@tapeloom/core/utc-day';
import type { Config } from '../config/config.ts';
import { joinedListing, MarketClashError } from '../markets/joined-listing.ts';
import type { MarketSetting } from '../markets/market-setting.ts';
import { openMarket } from '../markets/open-market.ts';
import {
  InstrumentsUnreadableError,
  type MarketSettings,
  readMarkets,
} from '../markets/read-markets.ts';
import { NodeDisk } from '../platform/node-disk.ts';
import { type ClockSetting, createClock } from '../platform/system-clock.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { ImportedDatasets } from './imported-datasets.ts';
import { StartRefusedError } from './start-refused-error.ts';

/** A market that was asked for is the only one. */
export async function readServiceMarkets({
  config,
  market,
}: {
  readonly config: Config;
  readonly market?: MarketSetting;
}): Promise<MarketSettings> {
  if (market !== undefined) return onlyMarket(market);
  return await refusing(() => readMarkets(new NodeDisk(), config));
}

/** Of a service that is about one market. */
export function onlyMarket(live: MarketSetting): MarketSettings {
  return { live, imported: [] };
}

/** With the service's clock. */
export async function openImported(
  data: string,
  { live, imported: listed }: MarketSettings,
  clockSetting: ClockSetting,
): Promise<ImportedDatasets> {
  const clock = createClock(clockSetting);
  return await refusing(async () => {
    const imported = await ImportedDatasets.open({ disk: new NodeDisk(), data, listed, clock });
    // Who composes the doors finds names that each mean one thing.
    if (listed.length > 0)
      joinedListing([openMarket(live), ...imported.markets], dayOf(clock.now()));
    return imported;
  });
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const kinds = [InstrumentsUnreadableError, MarketClashError, TapeDamagedError];
    if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error;
    throw new StartRefusedError(error.message, { cause: error });
  }
}
