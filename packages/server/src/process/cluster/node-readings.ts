/** Metrics of a node of a cluster, read for `/metrics`. */

import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import type { ClusterReadings } from '../metrics/cluster-metrics.ts';
import type { NodeServices } from './node-services.ts';

/** Time after a node's last heartbeat until other nodes take over its leases. */
const LEASE_SECONDS = 90;
/** A node sends a heartbeat every second. If the database has missed this many seconds, it does not respond. */
const UP_SECONDS = 5;

export function nodeReadings(
  { roles, nats }: ClusterConfig,
  node: NodeServices,
  clock: Pick<Clock, 'now'>,
  tapes: () => Readonly<Record<string, SharedTapeReport>>,
): ClusterReadings {
  const { register, postgres, leases } = node;
  const silentSeconds = () => Number((clock.now() - register.heardAt) / 1_000_000n) / 1_000;
  return {
    roles,
    isSyncAssured: nats.isSyncAssured,
    tapes,
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
