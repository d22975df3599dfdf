/** Removes stale shared state; safe to run twice, and on any node. */

import { HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { Postgres } from '../../platform/postgres/postgres.ts';

/** How long a node that vanished without leaving is listed. */
const GONE_SHOWN_NS = 24n * HOUR_NS_BIG;
/** After this time every allowance is full again. */
const ALLOWANCE_FULL_NS = 2n * MINUTE_NS_BIG;
/** Leases of nodes without a beat for this long no longer count, whatever happened to the database. */
const LEASES_KEPT_NS = HOUR_NS_BIG;

export async function sweepShared(postgres: Pick<Postgres, 'query'>): Promise<void> {
  await postgres.query(
    `delete from leases l where l.taken_at < tapeloom_now() - $1::bigint and not exists (
        select from nodes n where n.id = l.node_id
          and greatest(n.renewed_at, tapeloom_started_at()) >= tapeloom_now() - $1::bigint)`,
    [LEASES_KEPT_NS],
  );
  // After a long outage of the database all nodes return with their next beat, and a node without a row must end.
  await postgres.query(
    `delete from nodes
      where greatest(renewed_at, tapeloom_started_at()) < tapeloom_now() - $1::bigint`,
    [GONE_SHOWN_NS],
  );
  await postgres.query(
    'delete from allowances where greatest(all_at, tests_at) < tapeloom_now() - $1::bigint',
    [ALLOWANCE_FULL_NS],
  );
}
