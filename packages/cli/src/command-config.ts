/** The service's configuration, read by a command beside the service. */

import { readFileSync } from 'node:fs';
import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { type Config, ConfigError, readConfig } from '@tapeloom/server/config/config';
import { FilesMarket } from '@tapeloom/server/markets/files-market';
import type { Market } from '@tapeloom/server/markets/market';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { readMarkets } from '@tapeloom/server/markets/read-markets';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { RollStore } from '@tapeloom/server/tape/imported/roll-store';
import { type CommandIo, UsageError } from './command.ts';

export function configOf(io: CommandIo): Config {
  try {
    return readConfig({ env: io.env, args: [], readFile: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** The markets of a service on this data directory, by default the configured one. */
export async function marketsOf(io: CommandIo, data?: string): Promise<readonly Market[]> {
  const disk = new NodeDisk();
  const config = { ...configOf(io), ...(data === undefined ? {} : { data }) };
  const { live, imported } = await readMarkets(disk, config);
  const files: Market[] = [];
  for (const listed of imported) {
    const decided = await new RollStore(disk, `${config.data}/tape`, listed.name).load();
    const days = (await readImported(disk, `${config.data}/tape`, listed.name))?.days ?? new Map();
    files.push(new FilesMarket(listed, decided, days));
  }
  return [...live.map(openMarket), ...files];
}

export function calendarOf(markets: readonly Market[], contract: Contract): Calendar {
  return markets.find((it) => it.dataset === contract.dataset)!.calendar(contract.calendar);
}
