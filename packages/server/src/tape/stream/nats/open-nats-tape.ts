/**
 * The shared tape of a dataset as a node opens it: the servers keep what they acknowledge, the stream is the one that
 * `tapeloom cluster init` made, and it is this cluster's. Otherwise it is not opened: a node that began another tape would give the
 * same cursors twice.
 */

import type { TapeObjects, TapeStream } from '../tape-stream.ts';
import { askNatsTape, type NatsTapeState } from './nats-admin.ts';
import { connectNats } from './nats-connection.ts';
import { NatsObjects } from './nats-objects.ts';
import { countLacking, withLackingReplicas } from './nats-replicas.ts';
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
  /** What servers show who is connected. */
  readonly client: string;
  /** As PostgreSQL knows it. */
  readonly clusterId: string;
}

export interface NatsTape extends AsyncDisposable {
  readonly stream: TapeStream;
  readonly objects: TapeObjects;
  /** How many servers lack messages now, of those that are monitored, and perhaps do not know it. */
  lacking(): Promise<number>;
  /** The stream and its objects, with what each server lacks of them. */
  replicas(): Promise<NatsTapeState>;
}

/** What is there cannot hold this cluster's tape. */
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
      lacking: async () => await countLacking(nats, await askNatsTape(connection, dataset)),
      replicas: async () =>
        await withLackingReplicas(nats, servers, await askNatsTape(connection, dataset)),
      [Symbol.asyncDispose]: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Where nobody lets us in, and waiting would not change it for one of them. */
function refuseLasting(servers: readonly NatsServerState[]): void {
  const faults = servers.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (faults.length < servers.length || faults.every(({ isPassing }) => isPassing)) return;
  throw new NatsTapeError([...new Set(faults.map(({ sentence }) => sentence))]);
}
