/**
 * The markets of a service. Without an instruments file in the data directory it is the simulator. With one, it is the
 * datasets of that file; the simulator joins only when the configuration requests it.
 */

import type { Config } from '../config/config.ts';
import type { Disk } from '../platform/disk/disk.ts';
import type { ListedDataset } from './instruments/instruments-file.ts';
import { type MarketSetting, simSetting } from './market-setting.ts';

export interface MarketSettings {
  /** The market whose tape grows; its time holds for all. */
  readonly live: MarketSetting;
  /** Datasets for imported days. */
  readonly imported: readonly ListedDataset[];
}

/** The instruments file has faults, although it had none when it was applied; the message names them. */
export class InstrumentsUnreadableError extends Error {}

type MarketConfig = Pick<Config, 'data' | 'sim' | 'simSeed' | 'simScale' | 'simDays'>;

/** Rejects with an `InstrumentsUnreadableError`. */
export async function readMarkets(disk: Disk, config: MarketConfig): Promise<MarketSettings> {
  const imported = await appliedDatasets(disk, config.data);
  const isSimulated = config.sim === null ? imported.length === 0 : config.sim === 'on';
  return { live: isSimulated ? simSetting(config) : { kind: 'still' }, imported };
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
