/** Marks of accounts, each set once: a row for each. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Sql } from '../store/sql-database.ts';
import type { AccountMark } from './people-store.ts';

export async function marksOf(sql: Sql, accountId: string): Promise<ReadonlySet<AccountMark>> {
  const rows = await sql
    .selectFrom('account_marks')
    .select('mark')
    .where('account_id', '=', accountId)
    .execute();
  return new Set(rows.map(({ mark }) => mark));
}

export async function setMark(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  mark: AccountMark,
  isSet: boolean,
): Promise<void> {
  if (isSet) await add(sql, now, mark, [accountId]);
  else
    await sql
      .deleteFrom('account_marks')
      .where('account_id', '=', accountId)
      .where('mark', '=', mark)
      .execute();
}

export function markStreamed(sql: Sql, now: EpochNs, accountIds: readonly string[]): Promise<void> {
  return add(sql, now, 'streamed', accountIds);
}

/** Only for existing accounts: a deleted one gets no more marks. */
async function add(
  sql: Sql,
  now: EpochNs,
  mark: AccountMark,
  accountIds: readonly string[],
): Promise<void> {
  const there = await sql
    .selectFrom('accounts')
    .leftJoin('account_deletions', 'account_deletions.account_id', 'accounts.id')
    .select('accounts.id')
    .where('accounts.id', 'in', accountIds)
    .where('account_deletions.done_at', 'is', null)
    .execute();
  if (there.length === 0) return;
  await sql
    .insertInto('account_marks')
    .values(there.map(({ id }) => ({ account_id: id, mark, at: now })))
    .onConflict((conflict) => conflict.columns(['account_id', 'mark']).doNothing())
    .execute();
}
