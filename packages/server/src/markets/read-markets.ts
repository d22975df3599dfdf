/**
 * The markets of a service. Without an instruments file in the data directory it is the simulator. With one, it is the
 * datasets of that file; the simulator joins only when the configuration requests it. A tape on which only time passes
 * is added for datasets without a growing tape.
 */

import type { Config } from '../config/config.ts';
import type { Disk } from '../platform/disk/disk.ts';
import type { ListedDataset } from './instruments/instruments-file.ts';
import { newSharedBudget, type SharedBudget } from './live/connection/venue-budget.ts';
import { venueNamed } from './live/venues.ts';
import { listedOf, type MarketSetting, simSetting } from './market-setting.ts';

export interface MarketSettings {
  /** The markets whose tapes grow, at least one; the last one's time is that of all other datasets. */
  readonly live: readonly MarketSetting[];
  /** Datasets for imported days. */
  readonly imported: readonly ListedDataset[];
}

/** The instruments file has faults, although it had none when it was applied; the message names them. */
export class InstrumentsUnreadableError extends Error {}

type MarketConfig = Pick<Config, 'data' | 'sim' | 'simSeed' | 'simScale' | 'simDays'>;

/** Rejects with an `InstrumentsUnreadableError`. */
export async function readMarkets(disk: Disk, config: MarketConfig): Promise<MarketSettings> {
  const listed = await appliedDatasets(disk, config.data);
  const isSimulated = config.sim === null ? listed.length === 0 : config.sim === 'on';
  const imported = listed.filter(({ live }) => live === undefined);
  const live: MarketSetting[] = isSimulated ? [simSetting(config)] : [];
  live.push(...receivedMarkets(listed));
  if (imported.length > 0 || live.length === 0) live.push({ kind: 'still' });
  return { live, imported };
}

/** Feeds of the same venue share its limits. */
function receivedMarkets(listed: readonly ListedDataset[]): readonly MarketSetting[] {
  const budgets = new Map<string, SharedBudget>();
  return listed.flatMap((one): readonly MarketSetting[] => {
    const feed = one.live;
    if (feed === undefined) return [];
    if (feed.source === 'push') return [{ kind: 'push', listed: one, feed }];
    if (feed.source === 'composite') return [{ kind: 'composite', listed: one, feed }];
    const group = venueNamed(feed.venue)!.budgetGroup;
    const budget = budgets.getOrInsertComputed(group, newSharedBudget);
    return [{ kind: 'venue', listed: one, feed, budget }];
  });
}

async function appliedDatasets(disk: Disk, data: string): Promise<readonly ListedDataset[]> {
  if ((await disk.stat(`${data}/instruments.yaml`)) === null) return [];
  // Loaded on demand: the parser is large, and most starts do not need it.
  const { readAppliedInstruments } = await import('./instruments/applied-instruments.ts');
  const { FaultsError } = await import('./instruments/reading.ts');
  try {
    return (await readAppliedInstruments(disk, data))?.datasets ?? [];
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    const what = `${data}/instruments.yaml cannot be used: ${error.message}`;
    throw new InstrumentsUnreadableError(what, { cause: error });
  }
}

/** The markets whose tapes the nodes of a cluster share: one without trades need not be shared, beside another. */
export function sharedMarkets({ live }: Pick<MarketSettings, 'live'>): readonly MarketSetting[] {
  const trading = live.filter(({ kind }) => kind !== 'still');
  return trading.length > 0 ? trading : live;
}

/** The datasets of the instruments file, whether their trades are received or imported. */
export function listedDatasets({ live, imported }: MarketSettings): readonly ListedDataset[] {
  return [...receivedListings({ live }), ...imported];
}

/** The datasets whose trades are received; files may repair their finished days. */
export function receivedListings({ live }: Pick<MarketSettings, 'live'>): readonly ListedDataset[] {
  return live.flatMap((setting) => listedOf(setting) ?? []);
}

/** The same markets with other instruments. */
export function relisted(
  { live, imported }: MarketSettings,
  listed: readonly ListedDataset[],
): MarketSettings {
  const of = (before: ListedDataset) => listed.find(({ name }) => name === before.name) ?? before;
  return {
    live: live.map((one) => ('listed' in one ? { ...one, listed: of(one.listed) } : one)),
    imported: imported.map(of),
  };
}

export function pushedDatasets({ live }: Pick<MarketSettings, 'live'>): readonly string[] {
  return live.flatMap((setting) => (setting.kind === 'push' ? [setting.listed.name] : []));
}
