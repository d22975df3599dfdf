/** The contracts with trades on a day, from the configured live market. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { readMarkets } from '@tapeloom/server/markets/read-markets';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';

export async function contractsOfDays(
  config: Parameters<typeof readMarkets>[1],
): Promise<(day: UtcDay) => readonly string[]> {
  const { live } = await readMarkets(new NodeDisk(), config);
  const markets = live.map(openMarket);
  return (day) =>
    markets.flatMap((market) => market.listing(day).streamedOn(day)).map(({ symbol }) => symbol);
}
