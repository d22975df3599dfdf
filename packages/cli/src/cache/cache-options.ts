/** Shared by the cache commands: the cache's location, its limit, and the result filter. */

import type { CacheFilter } from '@tapeloom/server/results/cache-entries';
import { dataDirectory } from '../accounts/account-options.ts';
import type { CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';
import { readArgs } from '../read-args.ts';

export const FILTER_USAGE = `  --contract <symbol>  only results of this contract (ESZ6)
  --indicator <id>     only results of this indicator
  --dataset <name>     only results of this dataset`;

export const CACHE_USAGE = `  --data <directory>   the data directory (default: TAPELOOM_DATA or ./data)
  --json               JSON instead of text`;

export interface CachePlace {
  readonly root: string;
  readonly data: string;
  /** The cache's limit in bytes; 0: nothing is cached. */
  readonly bytesMax: number;
}

export function cachePlace(data: string | undefined, io: CommandIo): CachePlace {
  const config = configOf(io);
  const directory = dataDirectory(data ?? config.data, io);
  return { root: `${directory}/cache`, data: directory, bytesMax: config.cacheBytes };
}

export interface FilteredArgs<Flag extends string> {
  readonly place: CachePlace;
  readonly filter: CacheFilter;
  readonly isJson: boolean;
  readonly flags: Readonly<Record<Flag, boolean>>;
}

/** Reads the filters, the common options, and these flags. */
export function readFilteredArgs<Flag extends string>(
  args: readonly string[],
  io: CommandIo,
  flags: readonly Flag[],
): FilteredArgs<Flag> {
  const { values } = readArgs(args, {
    texts: ['data', 'contract', 'indicator', 'dataset'],
    flags: ['json', ...flags],
    words: [],
  });
  const { data, json, contract, indicator, dataset } = values;
  const filter = {
    ...(contract === undefined ? {} : { contract }),
    ...(indicator === undefined ? {} : { indicator }),
    ...(dataset === undefined ? {} : { dataset }),
  };
  return { place: cachePlace(data, io), filter, isJson: json, flags: values };
}
