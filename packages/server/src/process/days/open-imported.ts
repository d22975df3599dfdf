/** Opens the imported datasets at a start, and checks that every name means one thing. */

import { dayOf } from '@tapeloom/core/utc-day';
import { joinedListing } from '../../markets/joined-listing.ts';
import { openMarket } from '../../markets/open-market.ts';
import { type MarketSettings, receivedListings } from '../../markets/read-markets.ts';
import { refusingStart } from '../../operations/start/service-markets.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { type ClockSetting, createClock } from '../../platform/system-clock.ts';
import { ImportedDatasets } from './imported-datasets.ts';

export async function openImported(
  data: string,
  markets: MarketSettings,
  clockSetting: ClockSetting,
): Promise<ImportedDatasets> {
  const { live, imported: listed } = markets;
  const clock = createClock(clockSetting);
  return await refusingStart(async () => {
    const imported = await ImportedDatasets.open({
      disk: new NodeDisk(),
      ...{ data, listed, clock },
      repaired: receivedListings(markets),
    });
    const today = dayOf(clock.now());
    if (listed.length > 0)
      joinedListing([...live.map(openMarket), ...imported.markets], () => today);
    return imported;
  });
}
