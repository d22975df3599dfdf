/**
 * Monthly budgets of an account and of its test keys, whose use counts against both. The statement that reserves checks
 * both limits, so used and reserved amounts never exceed them. A reservation holds its amount while it is `open` and
 * leaves that state once, so its amount is released once, whatever the clock does. Everything counts in the month of
 * the reservation. Reserving and settling are in `sqlite-routines.ts` and `postgres-routines.ts`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { Kysely } from 'kysely';
import type { AccountSchema } from '../store/account-schema.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import { countsOf } from './sql-usage.ts';
import { BUDGETS, type Budget, type MonthUsage } from './usage-store.ts';
import type { MonthRow } from './usage-tables.ts';

/**
 * How long a reservation is remembered beyond its expiry. A settled or voided one for a day: until then its id takes
 * nothing a second time. One that was never closed, which is rare, for 40 days: until then it can be settled.
 */
const CLOSED_KEPT_NS = DAY_NS_BIG;
export const EXPIRED_KEPT_NS = 40n * CLOSED_KEPT_NS;

export const BUDGET_COLUMNS = {
  computeUnits: {
    used: 'compute_units',
    reserved: 'reserved_compute_units',
    testUsed: 'test_compute_units',
    testReserved: 'test_reserved_compute_units',
  },
  exportBytes: {
    used: 'export_bytes',
    reserved: 'reserved_export_bytes',
    testUsed: 'test_export_bytes',
    testReserved: 'test_reserved_export_bytes',
  },
} as const satisfies Record<Budget, unknown>;

const NO_USE = {
  used: { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0 },
  reserved: { computeUnits: 0, exportBytes: 0 },
};
const NOTHING_USED: MonthUsage = { ...NO_USE, tests: NO_USE };

const HELD = ['account_id', 'key_id', 'is_test', 'budget', 'period', 'amount'] as const;

/** A reservation's amount, and where it counts. */
export interface Held {
  readonly account_id: string;
  readonly key_id: string | null;
  readonly is_test: bigint;
  readonly period: string;
  readonly budget: Budget;
  readonly amount: bigint;
}

/**
 * Releases some expired reservations; returns how many. Locks rows of months before reservations, as all charges do.
 */
export async function giveBackSome(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const some = await sql
    .selectFrom('reservations')
    .select(['id', 'account_id', 'period'])
    .where('state', '=', 'open')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  const months = Map.groupBy(some, ({ account_id, period }) => `${account_id} ${period}`);
  for (const month of [...months.keys()].sort()) {
    const reservations = months.get(month)!;
    await holdMonth(sql, reservations[0]!);
    const ids = reservations.map(({ id }) => id);
    const expired = await expiring(sql).where('id', 'in', ids).returning(HELD).execute();
    for (const held of expired) await giveBack(sql, held);
  }
  return some.length;
}

/** It is a write, since both databases make writes wait. */
async function holdMonth(sql: Sql, { account_id, period }: Pick<Held, 'account_id' | 'period'>) {
  await sql
    .updateTable('month_usage')
    .set((eb) => ({ rest_requests: eb.ref('rest_requests') }))
    .where('account_id', '=', account_id)
    .where('period', '=', period)
    .execute();
}

function expiring(sql: Sql) {
  return sql.updateTable('reservations').set({ state: 'expired' }).where('state', '=', 'open');
}

/** Removes some reservations that were settled, voided or expired long ago; returns how many. Open ones stay. */
export async function forgetReservations(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  let forgotten = 0;
  for (const [state, keptNs] of [
    ['settled', CLOSED_KEPT_NS],
    ['voided', CLOSED_KEPT_NS],
    ['expired', EXPIRED_KEPT_NS],
  ] as const) {
    const old = sql
      .selectFrom('reservations')
      .select('id')
      .where('state', '=', state)
      .where('expires_at', '<', now - keptNs)
      .limit(limit - forgotten);
    forgotten += removed(await sql.deleteFrom('reservations').where('id', 'in', old).execute());
  }
  return forgotten;
}

/** One read-only statement: expired reservations that were not released yet are subtracted. */
export async function usageOf(
  database: Kysely<AccountSchema>,
  now: EpochNs,
  accountId: string,
  period: string,
): Promise<MonthUsage> {
  const row = await database
    .selectFrom('month_usage as month')
    .selectAll('month')
    .select((eb) =>
      BUDGETS.flatMap((budget) => {
        const expired = eb
          .selectFrom('reservations')
          .select((sum) =>
            sum
              .cast<bigint>(sum.fn.coalesce(sum.fn.sum('amount'), sum.val(0n)), 'bigint')
              .as('sum'),
          )
          .where('state', '=', 'open')
          .where('expires_at', '<=', now)
          .where('reservations.account_id', '=', accountId)
          .where('reservations.period', '=', period)
          .where('budget', '=', budget);
        const ofTests = expired.where('is_test', '=', 1n);
        return [
          expired.as(`expired_${budget}` as const),
          ofTests.as(`test_expired_${budget}` as const),
        ];
      }),
    )
    .where('month.account_id', '=', accountId)
    .where('month.period', '=', period)
    .executeTakeFirst();
  if (row === undefined) return NOTHING_USED;
  return monthUsageOf(row, {
    reserved: {
      computeUnits: row.expired_computeUnits!,
      exportBytes: row.expired_exportBytes!,
    },
    testReserved: {
      computeUnits: row.test_expired_computeUnits!,
      exportBytes: row.test_expired_exportBytes!,
    },
  });
}

type Expired = Readonly<Record<'reserved' | 'testReserved', Readonly<Record<Budget, bigint>>>>;
const NONE_EXPIRED = { computeUnits: 0n, exportBytes: 0n };
const NOTHING_EXPIRED: Expired = { reserved: NONE_EXPIRED, testReserved: NONE_EXPIRED };

/** Expired reservations that were not released yet are subtracted. */
export function monthUsageOf(row: MonthRow, expired = NOTHING_EXPIRED): MonthUsage {
  return {
    used: countsOf(row),
    reserved: {
      computeUnits: Number(row.reserved_compute_units - expired.reserved.computeUnits),
      exportBytes: Number(row.reserved_export_bytes - expired.reserved.exportBytes),
    },
    tests: {
      used: {
        computeUnits: Number(row.test_compute_units),
        historyItems: Number(row.test_history_items),
        exportBytes: Number(row.test_export_bytes),
        restRequests: Number(row.test_rest_requests),
      },
      reserved: {
        computeUnits: Number(row.test_reserved_compute_units - expired.testReserved.computeUnits),
        exportBytes: Number(row.test_reserved_export_bytes - expired.testReserved.exportBytes),
      },
    },
  };
}

async function giveBack(sql: Sql, held: Held): Promise<void> {
  const { reserved, testReserved } = BUDGET_COLUMNS[held.budget];
  await sql
    .updateTable('month_usage')
    .set((eb) => ({
      [reserved]: eb(reserved, '-', held.amount),
      ...(held.is_test === 0n ? {} : { [testReserved]: eb(testReserved, '-', held.amount) }),
    }))
    .where('account_id', '=', held.account_id)
    .where('period', '=', held.period)
    .execute();
}

export function whole(value: number, what: string): bigint {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what} must be a whole number from 0 on, got ${value}`);
  }
  return BigInt(value);
}
