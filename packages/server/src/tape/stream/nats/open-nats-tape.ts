/**
 * Opens the shared tape of a dataset for a node. The servers must keep what they acknowledge, and `tapeloom cluster
 * init` must have created the stream for this cluster: a second tape would issue the same cursors twice.
 */

import type { TapeObjects, TapeStream } from '../tape-stream.ts';
import { askNatsTape, type NatsTapeState } from './nats-admin.ts';
import { connectNats } from './nats-connection.ts';
import { NatsObjects } from './nats-objects.ts';
import { countIncomplete, withMissingCounts } from './nats-replicas.ts';
import {
  askNatsServers,
  type NatsServerState,
  type NatsServersAddress,
  natsServerFaults,
} from './nats-servers-check.ts';
import { NatsTapeStream } from './nats-tape-stream.ts';

export interface NatsTapeOptions {
  readonly nats: NatsServersAddress;
  readonly dataset: string;
  /** The client's name on the servers. */
  readonly client: string;
  /** As in PostgreSQL. */
  readonly clusterId: string;
}

export interface NatsTape extends AsyncDisposable {
  readonly stream: TapeStream;
  readonly objects: TapeObjects;
  /** The number of monitored servers that are missing messages now, perhaps unknowingly. */
  incompleteServers(): Promise<number>;
  /** The stream and its objects, with the missing messages of each server. */
  replicas(): Promise<NatsTapeState>;
}

/** The existing stream, objects or servers cannot hold this cluster's tape. */
export class NatsTapeError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

export async function openNatsTape(options: NatsTapeOptions): Promise<NatsTape> {
  const { nats, dataset, client, clusterId } = options;
  const servers = await askNatsServers(nats, client);
  const serverFaults = natsServerFaults(servers, nats.isSyncAssured);
  if (serverFaults.length > 0) throw new NatsTapeError(serverFaults);
  refuseLasting(servers);
  const connection = await connectNats(nats, client);
  try {
    const { stream, objects, faults } = await askNatsTape(connection, dataset);
    if (stream === null || objects === null) {
      throw new NatsTapeError([
        `NATS has no tape of ${dataset}. Create it once with "tapeloom cluster init". If there was one, it is lost and must not be created again`,
      ]);
    }
    const foreign = [stream, objects].filter((kept) => kept.clusterId !== clusterId);
    const all = [
      ...foreign.map((kept) => `stream ${kept.name} belongs to another cluster than PostgreSQL`),
      ...faults,
    ];
    if (all.length > 0) throw new NatsTapeError(all);
    return {
      stream: await NatsTapeStream.over(connection, dataset),
      objects: await NatsObjects.over(connection, dataset),
      incompleteServers: async () =>
        await countIncomplete(nats, await askNatsTape(connection, dataset)),
      replicas: async () =>
        await withMissingCounts(nats, servers, await askNatsTape(connection, dataset)),
      [Symbol.asyncDispose]: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Throws when no server grants access, and retrying cannot help for at least one of them. */
function refuseLasting(servers: readonly NatsServerState[]): void {
  const faults = servers.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (faults.length < servers.length || faults.every(({ isPassing }) => isPassing)) return;
  throw new NatsTapeError([...new Set(faults.map(({ sentence }) => sentence))]);
}
