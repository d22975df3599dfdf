/**
 * Usage for reports: by key, month and day. Days count charged amounts; the counts for limits are in `sql-budgets.ts`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodBefore } from '@tapeloom/core/quota/month';
import { utcDay } from '@tapeloom/core/utc-day';
import type { Kysely } from 'kysely';
import { keyOf } from '../keys/account-rows.ts';
import type { AccountSchema } from '../store/account-schema.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import {
  type DayUsage,
  KEY_USAGE_MONTHS,
  KEYS_REPORTED_MAX,
  type KeyUsage,
  type NamedKeyUsage,
  type PeriodUsage,
  type UsageCounts,
} from './usage-store.ts';

type Count = 'compute_units' | 'history_items' | 'export_bytes' | 'rest_requests';

const LAST_DAY_MAX = 31;

export function countsOf(row: Readonly<Record<Count, bigint>>): UsageCounts {
  return {
    computeUnits: Number(row.compute_units),
    historyItems: Number(row.history_items),
    exportBytes: Number(row.export_bytes),
    restRequests: Number(row.rest_requests),
  };
}

export async function usageByKey(
  database: Kysely<AccountSchema>,
  accountId: string,
  period: string,
): Promise<readonly KeyUsage[]> {
  const rows = await database
    .selectFrom('key_usage')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('period', '=', period)
    .orderBy('key_id')
    .execute();
  return rows.map((row) => ({ keyId: row.key_id, used: countsOf(row) }));
}

export async function usageByNamedKey(
  sql: Sql,
  accountId: string,
  period: string,
): Promise<readonly NamedKeyUsage[]> {
  const used = await sql
    .selectFrom('key_usage')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('period', '=', period)
    .orderBy('compute_units', 'desc')
    .orderBy('rest_requests', 'desc')
    .orderBy('key_id')
    .limit(KEYS_REPORTED_MAX)
    .execute();
  if (used.length === 0) return [];
  const ids = used.map((row) => row.key_id);
  const rows = await sql.selectFrom('keys').selectAll().where('id', 'in', ids).execute();
  const keys = new Map(rows.map((row) => [row.id, keyOf(row)]));
  return used.map((row) => ({
    keyId: row.key_id,
    key: keys.get(row.key_id) ?? null,
    used: countsOf(row),
  }));
}

export async function usageMonths(
  database: Kysely<AccountSchema>,
  accountId: string,
  from: string,
): Promise<readonly PeriodUsage[]> {
  const rows = await database
    .selectFrom('month_usage')
    .select(['period', 'compute_units', 'history_items', 'export_bytes', 'rest_requests'])
    .where('account_id', '=', accountId)
    .where('period', '>=', from)
    .orderBy('period')
    .execute();
  return rows.map((row) => ({ period: row.period, used: countsOf(row) }));
}

export async function usageDays(
  database: Kysely<AccountSchema>,
  accountId: string,
  period: string,
): Promise<readonly DayUsage[]> {
  const first = firstDay(period);
  const rows = await database
    .selectFrom('day_usage')
    .select(['day', 'compute_units', 'export_bytes'])
    .where('account_id', '=', accountId)
    .where('day', '>=', BigInt(first))
    .where('day', '<', BigInt(first + LAST_DAY_MAX))
    .orderBy('day')
    .execute();
  return rows.map((row) => ({
    day: utcDay(Number(row.day)),
    used: { computeUnits: Number(row.compute_units), exportBytes: Number(row.export_bytes) },
  }));
}

/** Removes some usage of keys from months long past and returns how many. */
export async function forgetKeyUsage(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('key_usage')
    .select(['account_id', 'period', 'key_id'])
    .where('period', '<', periodBefore(now, KEY_USAGE_MONTHS))
    .limit(limit);
  return removed(
    await sql
      .deleteFrom('key_usage')
      .where((eb) =>
        eb(
          eb.refTuple('account_id', 'period', 'key_id'),
          'in',
          old.$asTuple('account_id', 'period', 'key_id'),
        ),
      )
      .execute(),
  );
}

/** The same for days. */
export async function forgetDayUsage(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('day_usage')
    .select(['account_id', 'day'])
    .where('day', '<', BigInt(firstDay(periodBefore(now, KEY_USAGE_MONTHS))))
    .limit(limit);
  return removed(
    await sql
      .deleteFrom('day_usage')
      .where((eb) => eb(eb.refTuple('account_id', 'day'), 'in', old.$asTuple('account_id', 'day')))
      .execute(),
  );
}

/** `2026-11` as 20261101. */
function firstDay(period: string): number {
  return Number(period.replace('-', '')) * 100 + 1;
}
