/** A full stream or object store of NATS. */

import { SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { askNatsTape, growNatsTape } from '@tapeloom/server/tape/stream/nats/nats-admin';
import { connectNats } from '@tapeloom/server/tape/stream/nats/nats-connection';
import { addressOf } from '../../../../packages/server/testing/tape/nats-tape-rig.ts';
import type { ClusterStage } from '../cluster-stage.ts';

/** Accepts no more bytes until it is disposed. */
export async function limitBytes({ nats }: ClusterStage['rig'], what: 'stream' | 'objects') {
  const connection = await connectNats(addressOf(nats.urls), 'torture');
  const { bytes, bytesMax } = (await askNatsTape(connection, SIM_DATASET))[what]!;
  await growNatsTape(connection, SIM_DATASET, Math.max(1, bytes), what);
  return {
    bytesBefore: bytesMax,
    [Symbol.asyncDispose]: async () => {
      await growNatsTape(connection, SIM_DATASET, bytesMax, what);
      await connection.close();
    },
  };
}
