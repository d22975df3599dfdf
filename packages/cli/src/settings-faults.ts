/** Finds faults of the settings and of the files they name, as a start of the service would, without starting it. */

import { readFileSync } from 'node:fs';
import { type Config, ConfigError, readConfig } from '@tapeloom/server/config/config';
import type { ConfigSources } from '@tapeloom/server/config/raw-settings';
import type { MarketSettings } from '@tapeloom/server/markets/read-markets';
import { readNamedFiles } from '@tapeloom/server/operations/start/named-files';
import { readServiceMarkets } from '@tapeloom/server/operations/start/service-markets';
import { StartRefusedError } from '@tapeloom/server/operations/start/start-refused-error';

export interface JudgedSettings {
  readonly faults: readonly string[];
  readonly config: Config | null;
  readonly markets: MarketSettings | null;
}

export function settingsSources(env: ConfigSources['env']): ConfigSources {
  return { env, readFile: (path) => readFileSync(path, 'utf8') };
}

/** Checks in sequence: what cannot be read is not checked further. */
export async function judgeSettings(sources: ConfigSources): Promise<JudgedSettings> {
  const faults: string[] = [];
  const noted = (error: unknown) => {
    if (error instanceof ConfigError) faults.push(...error.faults);
    else if (error instanceof StartRefusedError) faults.push(error.message);
    // An unreadable directory, or a path that is none.
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
