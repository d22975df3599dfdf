/**
 * Owes mails to owners whose account has used most or all of a month's budget. Housekeeping checks this, since charges
 * delay every request. The limit is part of the record, so the owner of an upgraded plan is warned again.
 */

import { PLAN_LIMITS, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { nextRenewal, periodOf } from '@tapeloom/core/quota/month';
import { grantsOf } from '../keys/sql-accounts.ts';
import { owe } from '../mails/sql-owe.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import { BUDGET_COLUMNS } from './sql-budgets.ts';
import { BUDGETS, type Budget } from './usage-store.ts';

const MOST_PERCENT = 80;
const ALL_PERCENT = 100;
/** The rest of a budget may be too little for any request: from this share on, usage counts as 100 %. */
const ALL_SHARE = 0.995;

const LIMITS = { computeUnits: 'computeBudget', exportBytes: 'exportBytes' } as const;

/** Below these amounts no plan has reached a threshold. */
const LEAST = Object.fromEntries(
  BUDGETS.map((budget) => {
    const limits = Object.values(PLAN_LIMITS).map((plan) => plan[LIMITS[budget]]);
    const smallest = Math.min(...limits.filter((limit) => limit > 0));
    return [budget, BigInt(Math.floor((smallest * MOST_PERCENT) / 100))];
  }),
) as Readonly<Record<Budget, bigint>>;

/** Handles some accounts by id; returns the last id, or null when there are no more. */
export async function oweUsageMails(
  sql: Sql,
  now: EpochNs,
  afterId: string,
  limit: number,
): Promise<string | null> {
  const period = periodOf(now);
  const rows = await sql
    .selectFrom('month_usage as month')
    .innerJoin('owners', 'owners.account_id', 'month.account_id')
    .innerJoin('accounts', 'accounts.id', 'month.account_id')
    .select(['month.account_id', 'month.compute_units', 'month.export_bytes', 'owners.email'])
    .where('month.period', '=', period)
    .where('month.account_id', '>', afterId)
    .where('owners.usage_mails', '=', 1n)
    .where('accounts.suspended_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('month.compute_units', '>=', LEAST.computeUnits),
        eb('month.export_bytes', '>=', LEAST.exportBytes),
      ]),
    )
    .orderBy('month.account_id')
    .limit(limit)
    .execute();
  for (const row of rows) {
    const limits = PLAN_LIMITS[planAt(await grantsOf(sql, row.account_id), now)];
    for (const budget of BUDGETS) {
      const used = row[BUDGET_COLUMNS[budget].used];
      const use = {
        accountId: row.account_id,
        period,
        budget,
        used,
        limit: limits[LIMITS[budget]],
      };
      await oweOne(sql, now, use, row.email);
    }
  }
  return rows.length < limit ? null : rows.at(-1)!.account_id;
}

interface Use {
  readonly accountId: string;
  readonly period: string;
  readonly budget: Budget;
  readonly used: bigint;
  readonly limit: number;
}

async function oweOne(sql: Sql, now: EpochNs, use: Use, reader: string): Promise<void> {
  const { accountId, period, budget, used, limit } = use;
  const percent = percentReached(Number(used), limit);
  if (percent === null) return;
  const told = await sql
    .insertInto('usage_told')
    .values({ account_id: accountId, period, budget, budget_limit: limit, percent })
    .onConflict((conflict) => conflict.doNothing())
    .returning('percent')
    .executeTakeFirst();
  if (told === undefined) return;
  const kind = 'usage';
  const details = {
    budget,
    percent: String(percent),
    used: used.toString(),
    limit: String(limit),
    period,
    resetsAt: nextRenewal(now).toString(),
  };
  const id = [kind, accountId, period, budget, limit, percent].join('.');
  await owe(sql, now, { id, kind, reader, orderId: null, details });
}

function percentReached(used: number, limit: number): number | null {
  if (limit === 0) return null;
  const share = used / limit;
  if (share >= ALL_SHARE) return ALL_PERCENT;
  return share >= MOST_PERCENT / 100 ? MOST_PERCENT : null;
}

/** Removes some records of earlier months and returns how many. */
export async function forgetUsageTold(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('usage_told')
    .select('account_id')
    .where('period', '<', periodOf(now))
    .limit(limit);
  const gone = sql.deleteFrom('usage_told').where('period', '<', periodOf(now));
  return removed(await gone.where('account_id', 'in', old).execute());
}
