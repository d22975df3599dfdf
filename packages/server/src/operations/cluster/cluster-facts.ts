/** What is known of a cluster: its nodes, its NATS servers, and the stream of one of its datasets. */

import type { KeptState } from '../../tape/stream/nats/nats-admin.ts';
import type { NatsServerState } from '../../tape/stream/nats/nats-servers-check.ts';
import type { NodeSelf, NodeTape } from './node-report.ts';

export interface NodeStatus extends Omit<NodeSelf, 'tapes'> {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly program: string;
  readonly isAlive: boolean;
  readonly drains: boolean;
  /** Since its last heartbeat, by the database's clock. */
  readonly heardMsAgo: number;
  /** Its state on the dataset's tape; null: not reported. */
  readonly tape: NodeTape | null;
  /** Messages that it has not processed; null: not reported. */
  readonly behind: number | null;
  readonly offsetMs: number;
}

/** A cluster, as seen from one of its datasets. */
export interface ClusterFacts {
  /** Null: the cluster was not created. */
  readonly id: string | null;
  readonly dataset: string;
  readonly nodes: readonly NodeStatus[];
  readonly servers: readonly NatsServerState[];
  readonly isSyncAssured: boolean;
  readonly stream: KeptState | null;
  readonly objects: KeptState | null;
  /** Indicators that live nodes have in several versions. */
  readonly mixedIndicators: readonly string[];
}
