/** The markets of a service at its start. A fault is a sentence for the operator. */

import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Config } from '../../config/config.ts';
import { FilesMarket } from '../../markets/files-market.ts';
import { joinedListing, MarketClashError } from '../../markets/joined-listing.ts';
import type { MarketSetting } from '../../markets/market-setting.ts';
import { openMarket } from '../../markets/open-market.ts';
import {
  InstrumentsUnreadableError,
  listedDatasets,
  type MarketSettings,
  readMarkets,
} from '../../markets/read-markets.ts';
import { isBegunBy } from '../../markets/source-claim.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { readImported } from '../../tape/imported/imported-manifest.ts';
import { TapeDamagedError } from '../../tape/tape-errors.ts';
import { isSafeName } from '../../tape/tape-paths.ts';
import { MisconfiguredError, StartRefusedError } from './start-refused-error.ts';

/** Sources whose trades cannot be made again. */
const RECEIVED = ['push', 'venue'];

/** If `market` is given, it is the only one. */
export async function readServiceMarkets({
  config,
  market,
}: {
  readonly config: Config;
  readonly market?: MarketSetting;
}): Promise<MarketSettings> {
  if (market !== undefined) return onlyMarket(market);
  return await refusingStart(async () => {
    const disk = new NodeDisk();
    const markets = await readMarkets(disk, config);
    await requireInstruments(disk, config.data, markets);
    requireMarket(config, markets);
    return markets;
  });
}

/**
 * Days of a dataset without an instrument mean that the file of instruments was lost. Without it the service would
 * offer the simulated market instead of the customers' own.
 */
async function requireInstruments(
  disk: Disk,
  data: string,
  markets: MarketSettings,
): Promise<void> {
  const tapeRoot = join(data, 'tape');
  const listed = new Set(listedDatasets(markets).map(({ name }) => name));
  for (const dataset of (await disk.list(tapeRoot)).filter(isSafeName)) {
    if (listed.has(dataset)) continue;
    const { days } = (await readImported(disk, tapeRoot, dataset)) ?? { days: new Map() };
    const isReceived = await isBegunBy(disk, tapeRoot, dataset, RECEIVED);
    if (days.size === 0 && !isReceived) continue;
    const what = isReceived ? 'received trades' : 'imported days';
    throw new StartRefusedError(
      `${join(tapeRoot, dataset)} has ${what}, but ${join(data, 'instruments.yaml')} names no instrument of ${dataset}. ` +
        'Restore the file (tapeloom restore, or tapeloom instruments apply <file>), or move that directory away to start without it',
    );
  }
}

/** Without the simulator and without instruments there is nothing to serve. */
function requireMarket({ data, sim }: Config, markets: MarketSettings): void {
  if (sim !== 'off' || listedDatasets(markets).length > 0) return;
  throw new MisconfiguredError(
    `TAPELOOM_SIM is off and ${join(data, 'instruments.yaml')} names no instruments, so there is nothing to serve. ` +
      'Apply your file first (tapeloom instruments apply <file>), or unset TAPELOOM_SIM to use the simulated market',
  );
}

/** The settings of a service with one market. */
export function onlyMarket(live: MarketSetting): MarketSettings {
  return { live: [live], imported: [] };
}

/** Rejects with a `StartRefusedError` if two names clash. */
export async function requireDistinctNames(
  { live, imported }: MarketSettings,
  now: EpochNs,
): Promise<void> {
  await refusingStart(async () => {
    const named = imported.map((one) => new FilesMarket(one, new Map(), new Map()));
    joinedListing([...live.map(openMarket), ...named], () => dayOf(now));
  });
}

/** Turns faults that an operator can fix into a `StartRefusedError`. */
export async function refusingStart<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const kinds = [InstrumentsUnreadableError, MarketClashError, TapeDamagedError];
    if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error;
    throw new StartRefusedError(error.message, { cause: error });
  }
}
