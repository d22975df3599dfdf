/** The configured cluster, for commands that work on it. */

import type { ClusterConfig } from '@tapeloom/server/config/cluster-settings';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { readMarkets, sharedMarkets } from '@tapeloom/server/markets/read-markets';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';

export interface ClusterPlace {
  readonly cluster: ClusterConfig;
  readonly dataset: string;
}

export async function clusterPlace(io: CommandIo): Promise<ClusterPlace> {
  const config = configOf(io);
  if (config.cluster === null) {
    throw new UsageError(
      'this command works on a cluster: set TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL to the servers that its nodes share',
    );
  }
  const [first] = sharedMarkets(await readMarkets(new NodeDisk(), config));
  return { cluster: config.cluster, dataset: openMarket(first!).dataset };
}
