/** The service's state as nodes observed it, over a SQL database; see `status-store.ts`. */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  NOTED_STATES,
  STATUS_DAYS,
  STATUS_GAP_NS,
  type StatusSpan,
} from '@tapeloom/core/status/status-history';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { Kysely } from 'kysely';
import type { AccountSchema } from '../store/account-schema.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import type { SqlStore } from '../store/sql-store.ts';
import type { StatusStore } from './status-store.ts';

/** A span is long unless a state flaps: then the oldest are removed, and the record begins later. */
const SPANS_MAX = 2_000;
/** The oldest day that is shown may have begun just before. */
const KEPT_NS = BigInt(STATUS_DAYS + 1) * DAY_NS_BIG;

export function sqlStatus(store: SqlStore): StatusStore {
  return { noteStatus: store.changes(noteStatus), statusSpans: store.asks(statusSpans) };
}

async function noteStatus(sql: Sql, { node, from, until, state }: StatusSpan): Promise<void> {
  const last = await sql
    .selectFrom('status_spans')
    .selectAll()
    .where('node', '=', node)
    // A clock that was ahead may have left spans in the future.
    .where('until_at', '<=', from + STATUS_GAP_NS)
    .orderBy('until_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const goesOn = last?.state === state && last.until_at >= from - STATUS_GAP_NS;
  if (!goesOn) {
    await sql
      .insertInto('status_spans')
      .values({ node, from_at: from, until_at: until, state })
      .onConflict((conflict) =>
        conflict.columns(['node', 'from_at']).doUpdateSet({ until_at: until, state }),
      )
      .execute();
  } else if (until > last.until_at) {
    await sql
      .updateTable('status_spans')
      .set({ until_at: until })
      .where('node', '=', node)
      .where('from_at', '=', last.from_at)
      .execute();
  }
}

async function statusSpans(
  database: Kysely<AccountSchema>,
  after: EpochNs,
): Promise<readonly StatusSpan[]> {
  const rows = await database
    .selectFrom('status_spans')
    .selectAll()
    .where('until_at', '>', after)
    .orderBy('until_at', 'desc')
    .limit(SPANS_MAX)
    .execute();
  return rows.flatMap(({ node, from_at, until_at, state }) => {
    // A newer program may store a state that this one does not know.
    const known = NOTED_STATES.find((one) => one === state);
    return known === undefined
      ? []
      : [{ node, from: from_at as EpochNs, until: until_at as EpochNs, state: known }];
  });
}

/** Removes some spans that are no longer shown; returns how many. */
export async function forgetStatus(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = now - KEPT_NS;
  const surplus = await sql
    .selectFrom('status_spans')
    .select('until_at')
    .where('until_at', '>', old)
    .orderBy('until_at', 'desc')
    .offset(SPANS_MAX)
    .limit(1)
    .executeTakeFirst();
  const before = surplus?.until_at ?? old;
  const gone = sql
    .selectFrom('status_spans')
    .select('until_at')
    .where('until_at', '<=', before)
    .orderBy('until_at')
    .limit(limit);
  return removed(await sql.deleteFrom('status_spans').where('until_at', 'in', gone).execute());
}
