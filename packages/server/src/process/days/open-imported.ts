/** Opens the imported datasets at a start, and checks that every name means one thing. */

import { dayOf } from '@tapeloom/core/utc-day';
import { joinedListing } from '../../markets/joined-listing.ts';
import { openMarket } from '../../markets/open-market.ts';
import type { MarketSettings } from '../../markets/read-markets.ts';
import { refusingStart } from '../../operations/start/service-markets.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { type ClockSetting, createClock } from '../../platform/system-clock.ts';
import { ImportedDatasets } from './imported-datasets.ts';

export async function openImported(
  data: string,
  { live, imported: listed }: MarketSettings,
  clockSetting: ClockSetting,
): Promise<ImportedDatasets> {
  const clock = createClock(clockSetting);
  return await refusingStart(async () => {
    const imported = await ImportedDatasets.open({ disk: new NodeDisk(), data, listed, clock });
    const today = dayOf(clock.now());
    if (listed.length > 0)
      joinedListing([...live.map(openMarket), ...imported.markets], () => today);
    return imported;
  });
}
