/** The configured cluster, for commands that work on it. */

import type { ClusterConfig } from '@tapeloom/server/config/cluster-settings';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { readMarkets, sharedMarkets } from '@tapeloom/server/markets/read-markets';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';

export interface ClusterPlace {
  readonly cluster: ClusterConfig;
  /** The live datasets, at least one. */
  readonly datasets: readonly string[];
}

/** `named`: the only dataset to work on, which must be one of the configured ones. */
export async function clusterPlace(
  io: CommandIo,
  named?: string,
  config = configOf(io),
): Promise<ClusterPlace> {
  if (config.cluster === null) {
    throw new UsageError(
      'this command works on a cluster: set TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL to the servers that its nodes share',
    );
  }
  const markets = sharedMarkets(await readMarkets(new NodeDisk(), config));
  const datasets = markets.map((market) => openMarket(market).dataset);
  if (named === undefined) return { cluster: config.cluster, datasets };
  if (datasets.includes(named)) return { cluster: config.cluster, datasets: [named] };
  throw new UsageError(
    `--dataset must be a live dataset of this cluster (${datasets.join(', ')}); got ${JSON.stringify(named)}.`,
  );
}
