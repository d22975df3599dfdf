/** The end of layouts: deleted ones after their time, and all of a deleted account. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Sql } from '../store/sql-database.ts';
import { DELETED_KEPT_NS, STATES_KEPT } from './layouts-store.ts';

/** Removes layouts for good, with all their states. */
export async function removeLayouts(sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql.deleteFrom('layout_states').where('layout_id', 'in', ids).execute();
  await sql.deleteFrom('layouts').where('id', 'in', ids).execute();
}

export async function removeLayoutsOf(sql: Sql, accountId: string): Promise<void> {
  const all = sql.selectFrom('layouts').select('id').where('account_id', '=', accountId);
  await sql.deleteFrom('layout_states').where('layout_id', 'in', all).execute();
  await sql.deleteFrom('layouts').where('account_id', '=', accountId).execute();
}

/**
 * Removes some deleted layouts whose time is over, and layouts of the accounts deleted last: a node of an earlier
 * version may have deleted an account. Returns how many, or `limit` if there may be more.
 */
export async function forgetLayouts(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  // A layout has up to ten states, which go with it.
  const atOnce = Math.ceil(limit / STATES_KEPT);
  const before = now - DELETED_KEPT_NS;
  const old = await sql
    .selectFrom('layouts')
    .select('id')
    .where('deleted_at', '<=', before)
    .limit(atOnce)
    .execute();
  const gone = await sql
    .selectFrom('account_deletions')
    .select('account_id')
    .where('done_at', '>', before)
    .orderBy('done_at', 'desc')
    .limit(limit)
    .execute();
  const accounts = gone.map((one) => one.account_id);
  const orphaned = await sql
    .selectFrom('layouts')
    .select('id')
    .where('account_id', 'in', accounts.length === 0 ? [''] : accounts)
    .limit(atOnce)
    .execute();
  const ids = new Set([...old, ...orphaned].map(({ id }) => id));
  await removeLayouts(sql, [...ids]);
  return old.length === atOnce || orphaned.length === atOnce ? limit : ids.size;
}
