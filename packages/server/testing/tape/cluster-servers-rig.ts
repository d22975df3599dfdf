/** One PostgreSQL and one NATS server, as configured for the cluster commands. */

import type { ClusterConfig } from '../../src/config/cluster-settings.ts';
import { type InitialisedCluster, initCluster } from '../../src/operations/cluster/init-cluster.ts';
import { PostgresServer } from '../platform/postgres-server.ts';
import { NatsServers } from './nats-servers.ts';
import { addressOf } from './nats-tape-rig.ts';

const ROOM_BYTES = 268_435_456;

export class ClusterServersRig implements AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly nats: NatsServers;

  private constructor(postgres: PostgresServer, nats: NatsServers) {
    this.postgres = postgres;
    this.nats = nats;
  }

  static async start(): Promise<ClusterServersRig> {
    await using started = new AsyncDisposableStack();
    const postgres = started.use(await PostgresServer.start());
    const nats = started.use(await NatsServers.start());
    started.move();
    return new ClusterServersRig(postgres, nats);
  }

  /** A cluster in a database of its own. Streams are distinguished by dataset. */
  async cluster(): Promise<ClusterConfig> {
    return {
      roles: { ingest: true, serve: true },
      node: 'test',
      internalUrl: null,
      postgres: { url: await this.postgres.database(), passwordFile: null, caFile: null },
      nats: {
        ...addressOf(this.nats.urls),
        monitors: this.nats.monitors,
        isSyncAssured: false,
      },
    };
  }

  async init(cluster: ClusterConfig, ...datasets: readonly string[]): Promise<InitialisedCluster> {
    const room = { streamBytesMax: ROOM_BYTES, objectBytesMax: ROOM_BYTES };
    return await initCluster({ cluster, datasets, replicas: 1, ...room });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nats[Symbol.asyncDispose]();
    await this.postgres[Symbol.asyncDispose]();
  }
}
