/** Metrics of a node of a cluster: its state on the shared tape, PostgreSQL, and the other nodes. */

import { counter, gauge, type Reading } from '../../platform/metrics.ts';
import type { PostgresCounts } from '../../platform/postgres/postgres.ts';
import { SHARED_TAPE_ROLES, type SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

export interface ClusterReadings {
  readonly roles: { readonly ingest: boolean; readonly serve: boolean };
  /** Whether the operator vouches for settings that the NATS servers do not show. */
  readonly isSyncAssured: boolean;
  /** By dataset. */
  tapes(): Readonly<Record<string, SharedTapeReport>>;
  postgres(): PostgresReadings;
  nodes(): NodeReadings;
  limits(): SharedLimitReadings;
}

export interface PostgresReadings extends PostgresCounts {
  readonly isUp: boolean;
}

export interface NodeReadings {
  readonly alive: number;
  readonly draining: number;
  readonly versions: number;
  readonly indicatorsMixed: number;
  /** How long the other nodes still consider this one alive. */
  readonly leaseSeconds: number;
  /** This machine's clock minus the database's. */
  readonly clockOffsetSeconds: number;
}

export interface SharedLimitReadings {
  readonly leases: number;
  readonly slicesTotal: number;
}

export function clusterReadings(cluster: ClusterReadings): readonly Reading[] {
  return [...tapeReadings(cluster), ...postgresReadings(cluster), ...nodeReadings(cluster)];
}

function tapeReadings({ roles, isSyncAssured, tapes: all }: ClusterReadings): readonly Reading[] {
  const tapes = () => Object.values(all());
  const of = (member: 'sequence' | 'end' | 'takeovers' | 'fenced' | 'unknowns') =>
    tapes().reduce((sum, tape) => sum + tape[member], 0);
  return [
    {
      name: 'tapeloom_cluster_role',
      help: '1 for each configured role of this node.',
      kind: 'gauge',
      label: 'role',
      read: () => ({ ingest: Number(roles.ingest), serve: Number(roles.serve) }),
    },
    {
      name: 'tapeloom_cluster_tape_state',
      help: 'The shared tapes on which this node is in each state.',
      kind: 'gauge',
      label: 'state',
      read: () => {
        const now = tapes().map(({ role }) => role);
        const count = (role: string) => now.filter((one) => one === role).length;
        return Object.fromEntries(SHARED_TAPE_ROLES.map((role) => [role, count(role)]));
      },
    },
    {
      name: 'tapeloom_cluster_appends',
      help: '1 if this node appends to the tape of the dataset.',
      kind: 'gauge',
      label: 'dataset',
      read: () => byDataset(all(), ({ role }) => Number(role === 'leading')),
    },
    {
      name: 'tapeloom_cluster_dataset_lag_messages',
      help: 'Messages that this node is behind on the tape of the dataset.',
      kind: 'gauge',
      label: 'dataset',
      read: () => byDataset(all(), ({ end, sequence }) => Math.max(0, end - sequence)),
    },
    gauge(
      'tapeloom_cluster_sequence',
      'The last message of the stream that this node has processed.',
      () => {
        return of('sequence');
      },
    ),
    gauge(
      'tapeloom_cluster_end_sequence',
      'The last message of the stream that this node knows of.',
      () => {
        return of('end');
      },
    ),
    gauge('tapeloom_cluster_lag_messages', 'Messages that this node is behind.', () => {
      return Math.max(0, of('end') - of('sequence'));
    }),
    gauge(
      'tapeloom_cluster_silent_seconds',
      'Time since anything was received from the stream.',
      () => {
        return Math.max(0, ...tapes().map(({ silentMs }) => silentMs)) / 1000;
      },
    ),
    counter('tapeloom_cluster_takeovers_total', 'How often this node started to append.', () => {
      return of('takeovers');
    }),
    counter(
      'tapeloom_cluster_fenced_total',
      'How often another node took over before this one knew.',
      () => {
        return of('fenced');
      },
    ),
    counter('tapeloom_cluster_publishes_unknown_total', 'Publishes without a response.', () => {
      return of('unknowns');
    }),
    gauge('tapeloom_cluster_servers_lacking', 'NATS servers that lack messages.', () => {
      return Math.max(0, ...tapes().map(({ serversIncomplete = 0 }) => serversIncomplete));
    }),
    gauge('tapeloom_cluster_sync_assured', '1 if it is not checked that NATS syncs.', () => {
      return Number(isSyncAssured);
    }),
  ];
}

function byDataset(
  tapes: Readonly<Record<string, SharedTapeReport>>,
  of: (tape: SharedTapeReport) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(tapes).map(([dataset, tape]) => [dataset, of(tape)]));
}

function postgresReadings({ postgres, limits }: ClusterReadings): readonly Reading[] {
  return [
    gauge('tapeloom_postgres_up', '1 while PostgreSQL responds.', () => Number(postgres().isUp)),
    {
      name: 'tapeloom_postgres_connections',
      help: 'Connections of the pool.',
      kind: 'gauge',
      label: 'state',
      read: () => {
        const { open, idle } = postgres();
        return { idle, busy: open - idle };
      },
    },
    gauge('tapeloom_postgres_connections_max', 'The limit of the pool.', () => postgres().openMax),
    gauge('tapeloom_postgres_waiting', 'Calls that wait for a connection.', () => {
      return postgres().waiting;
    }),
    gauge('tapeloom_cluster_leases', 'Leases of customers held by this node.', () => {
      return limits().leases;
    }),
    counter('tapeloom_cluster_slices_total', 'Slices of allowances taken.', () => {
      return limits().slicesTotal;
    }),
  ];
}

function nodeReadings({ nodes }: ClusterReadings): readonly Reading[] {
  return [
    {
      name: 'tapeloom_cluster_nodes',
      help: 'Live nodes, as last read by this one.',
      kind: 'gauge',
      label: 'state',
      read: () => {
        const { alive, draining } = nodes();
        return { serving: alive - draining, draining };
      },
    },
    gauge('tapeloom_cluster_versions', 'Program versions among the live nodes.', () => {
      return nodes().versions;
    }),
    gauge('tapeloom_cluster_indicators_mixed', 'Indicators with two versions among them.', () => {
      return nodes().indicatorsMixed;
    }),
    gauge(
      'tapeloom_cluster_node_lease_seconds',
      'Time until others consider this node dead.',
      () => {
        return nodes().leaseSeconds;
      },
    ),
    gauge(
      'tapeloom_cluster_clock_offset_seconds',
      "This machine's clock minus the database's.",
      () => {
        return nodes().clockOffsetSeconds;
      },
    ),
  ];
}
