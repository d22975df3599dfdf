/** Clears away what nobody needs any more of what nodes share; safe to be done twice, and by any node. */

import { HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { Postgres } from '../../platform/postgres/postgres.ts';

/** A node that has gone without leaving is shown for so long. */
const GONE_SHOWN_NS = 24n * HOUR_NS_BIG;
/** Everything spent has come back by then. */
const ALLOWANCE_FULL_NS = 2n * MINUTE_NS_BIG;
/** Nobody counts leases of nodes that were not heard of for so long, whatever the database went through. */
const LEASES_KEPT_NS = HOUR_NS_BIG;

export async function sweepShared(postgres: Pick<Postgres, 'query'>): Promise<void> {
  await postgres.query(
    `delete from leases l where l.taken_at < tapeloom_now() - $1::bigint and not exists (
        select from nodes n where n.id = l.node_id
          and greatest(n.renewed_at, tapeloom_started_at()) >= tapeloom_now() - $1::bigint)`,
    [LEASES_KEPT_NS],
  );
  // After a long outage of the database all come back at their next beat, and one whose row is gone has to end.
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
