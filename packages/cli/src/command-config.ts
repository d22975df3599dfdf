/** The service's configuration, as a command beside it reads it. */

import { readFileSync } from 'node:fs';
import { type Config, ConfigError, readConfig } from '@tapeloom/server/config/config';
import type { Market } from '@tapeloom/server/markets/market';
import { marketSetting } from '@tapeloom/server/markets/market-setting';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { type CommandIo, UsageError } from './command.ts';

export function configOf(io: CommandIo): Config {
  try {
    return readConfig({ env: io.env, args: [], readFile: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** What is listed where the service runs. */
export function marketOf(io: CommandIo): Market {
  return openMarket(marketSetting(configOf(io)));
}
