/** A tape on real NATS servers for tests, created as an operator creates it. */

import { createNatsTape } from '../../src/tape/stream/nats/nats-admin.ts';
import { connectNats, type NatsAddress } from '../../src/tape/stream/nats/nats-connection.ts';
import { type NatsTape, openNatsTape } from '../../src/tape/stream/nats/open-nats-tape.ts';
import type { NatsServers } from './nats-servers.ts';

const MIB = 1_048_576;
export const CLUSTER_ID = 'cluster-of-tests';

export interface TapeSize {
  readonly streamBytesMax?: number;
  readonly objectBytesMax?: number;
}

export async function makeTape(
  servers: NatsServers,
  dataset: string,
  { streamBytesMax = 1_024 * MIB, objectBytesMax = 1_024 * MIB }: TapeSize = {},
): Promise<void> {
  const connection = await connectNats(addressOf(servers.urls), 'operator');
  try {
    await createNatsTape(connection, {
      dataset,
      clusterId: CLUSTER_ID,
      replicas: servers.count,
      streamBytesMax,
      objectBytesMax,
    });
  } finally {
    await connection.close();
  }
}

/** `urls`: proxies before the servers, or only some of the servers. */
export async function openTape(
  servers: NatsServers,
  dataset: string,
  urls: readonly string[] = servers.urls,
): Promise<NatsTape> {
  const nats = { ...addressOf(urls), monitors: servers.monitors, isSyncAssured: false };
  return await openNatsTape({ nats, dataset, client: 'test', clusterId: CLUSTER_ID });
}

export function addressOf(urls: readonly string[]): NatsAddress {
  const files = { credsFile: null, tokenFile: null, caFile: null, certFile: null, keyFile: null };
  return { servers: urls, ...files, isTlsFirst: false };
}
