/** What `/metrics` reads of a node of a cluster. */

import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import type { ClusterReadings } from '../metrics/cluster-metrics.ts';
import type { NodeServices } from './node-services.ts';

/** So long after it was last heard of, others have what a node held. */
const LEASE_SECONDS = 90;
/** A node beats every second: a database that has missed so much does not answer. */
const UP_SECONDS = 5;

export function nodeReadings(
  { roles, nats }: ClusterConfig,
  node: NodeServices,
  clock: Pick<Clock, 'now'>,
  tape: () => SharedTapeReport | null,
): ClusterReadings {
  const { register, postgres, leases } = node;
  const silentSeconds = () => Number((clock.now() - register.heardAt) / 1_000_000n) / 1_000;
  return {
    roles,
    isSyncAssured: nats.isSyncAssured,
    tape,
    postgres: () => ({ ...postgres.counts, isUp: silentSeconds() < UP_SECONDS }),
    nodes: () => {
      const alive = register.nodes.filter(({ isAlive }) => isAlive);
      return {
        alive: alive.length,
        draining: alive.filter(({ drains }) => drains).length,
        versions: new Set(alive.map(({ program }) => program)).size,
        indicatorsMixed: node.disputedCount,
        leaseSeconds: Math.max(0, LEASE_SECONDS - silentSeconds()),
        clockOffsetSeconds: -Number(register.offsetNs / 1_000_000n) / 1_000,
      };
    },
    limits: () => ({ leases: leases.heldCount, slicesTotal: node.slicesTotal }),
  };
}
