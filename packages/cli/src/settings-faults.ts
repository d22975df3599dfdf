/** What is wrong with the settings and the files that they name, found as a start finds it, without one. */

import { readFileSync } from 'node:fs';
import { type Config, ConfigError, readConfig } from '@tapeloom/server/config/config';
import type { ConfigSources } from '@tapeloom/server/config/raw-settings';
import type { MarketSettings } from '@tapeloom/server/markets/read-markets';
import { readNamedFiles } from '@tapeloom/server/operations/start/named-files';
import { readServiceMarkets } from '@tapeloom/server/operations/start/service-markets';
import { StartRefusedError } from '@tapeloom/server/operations/start/start-refused-error';

export interface JudgedSettings {
  readonly faults: readonly string[];
  /** Null: they cannot be read. */
  readonly config: Config | null;
  /** Null: they cannot be read. */
  readonly markets: MarketSettings | null;
}

export function settingsSources(env: ConfigSources['env']): ConfigSources {
  return { env, readFile: (path) => readFileSync(path, 'utf8') };
}

/** One after the other: what cannot be read is not looked into. */
export async function judgeSettings(sources: ConfigSources): Promise<JudgedSettings> {
  const faults: string[] = [];
  const noted = (error: unknown) => {
    if (error instanceof ConfigError) faults.push(...error.faults);
    else if (error instanceof StartRefusedError) faults.push(error.message);
    // A directory that cannot be read, or is none.
    else if (error instanceof Error && 'syscall' in error) faults.push(error.message);
    else throw error;
  };
  let config: Config | null = null;
  let markets: MarketSettings | null = null;
  try {
    config = readConfig({ ...sources, args: [] });
    try {
      readNamedFiles(config, sources.readFile);
    } catch (error) {
      noted(error);
    }
    markets = await readServiceMarkets({ config });
  } catch (error) {
    noted(error);
  }
  return { faults, config, markets };
}
