/** The contracts of a live dataset with trades on a day, from the configured markets. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { readMarkets } from '@tapeloom/server/markets/read-markets';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';

export async function contractsOfDays(
  config: Parameters<typeof readMarkets>[1],
): Promise<(dataset: string) => (day: UtcDay) => readonly string[]> {
  const { live } = await readMarkets(new NodeDisk(), config);
  const markets = new Map(live.map(openMarket).map((market) => [market.dataset, market]));
  return (dataset) => (day) => {
    const listing = markets.get(dataset)?.listing(day);
    return (listing?.streamedOn(day) ?? []).map(({ symbol }) => symbol);
  };
}
