/** The known nodes of a cluster: `tapeloom cluster status` shows them, and every node decides by them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Postgres } from '../../platform/postgres/postgres.ts';

export interface KnownNode {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly program: string;
  /** The name of the computation, by indicator. */
  readonly computations: Readonly<Record<string, string>>;
  readonly startedAt: EpochNs;
  /** The time of its last beat. */
  readonly renewedAt: EpochNs;
  /** Whether it still counts as alive. */
  readonly isAlive: boolean;
  readonly drains: boolean;
  /** What it reported with its last beat. */
  readonly report: NodeReport;
}

/** A plain document; its writer decides on the contents. */
export type NodeReport = Readonly<Record<string, unknown>>;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly roles: string;
  readonly program: string;
  readonly computations: Readonly<Record<string, string>>;
  readonly started_at: bigint;
  readonly renewed_at: bigint;
  readonly is_alive: boolean;
  readonly drains: boolean;
  readonly report: NodeReport;
}

/** All registered nodes; lost ones too, until they are swept. */
export async function knownNodes(postgres: Pick<Postgres, 'query'>): Promise<readonly KnownNode[]> {
  const rows = await postgres.query<Row>(`
    select id, name, roles, program, computations, started_at, renewed_at, drains, report,
      greatest(renewed_at, tapeloom_started_at()) > tapeloom_now() - 90000000000 as is_alive
    from nodes order by name, id`);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    roles: row.roles.split(','),
    program: row.program,
    computations: row.computations,
    startedAt: row.started_at as EpochNs,
    renewedAt: row.renewed_at as EpochNs,
    isAlive: row.is_alive,
    drains: row.drains,
    report: row.report,
  }));
}

/** Requests nodes to leave, by id or name; resolves to the matching nodes that are alive. */
export async function askToDrain(
  postgres: Pick<Postgres, 'query'>,
  node: string,
): Promise<readonly KnownNode[]> {
  await postgres.query('update nodes set drains = true where id = $1 or name = $1', [node]);
  const nodes = await knownNodes(postgres);
  return nodes.filter((it) => it.isAlive && (it.id === node || it.name === node));
}
