/**
 * Budgets of a month, of an account and of its test keys, whose use counts at both. What is used and what
 * is reserved never exceed a limit by a reservation: the statement that reserves judges both. A reservation holds its amount while its state is `open`, and it
 * leaves that state once: whoever changes the state gives the amount back, so it is never given twice,
 * whatever the clock does. Everything happens in the month that reserved.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayIn } from '@tapeloom/core/quota/month';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { Kysely } from 'kysely';
import { remainingBudget } from '../limits/remaining-budget.ts';
import type { AccountSchema, ReservationState } from './account-schema.ts';
import {
  BUDGETS,
  type Budget,
  type MonthUsage,
  type RequestCount,
  type Reservation,
  type ReserveRequest,
} from './account-store.ts';
import { removed, type Sql } from './sql-database.ts';
import { addDayUse, type Count, countsOf, EMPTY_COUNTS } from './sql-usage.ts';

/**
 * How long a reservation is remembered beyond its expiry. A settled or voided one for a day: until then its id
 * takes nothing a second time, and every page and export leaves one. One that nobody closed, which is rare,
 * for 40 days: until then it can be settled.
 */
const CLOSED_KEPT_NS = DAY_NS_BIG;
const EXPIRED_KEPT_NS = 40n * CLOSED_KEPT_NS;

const COLUMNS = {
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

const EMPTY_MONTH = {
  ...EMPTY_COUNTS,
  reserved_compute_units: 0,
  reserved_export_bytes: 0,
  test_compute_units: 0,
  test_history_items: 0,
  test_export_bytes: 0,
  test_rest_requests: 0,
  test_reserved_compute_units: 0,
  test_reserved_export_bytes: 0,
};
const NO_USE = {
  used: { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0 },
  reserved: { computeUnits: 0, exportBytes: 0 },
};
const NOTHING_USED: MonthUsage = { ...NO_USE, tests: NO_USE };

interface Settlement {
  readonly amount: number;
  readonly historyItems?: number;
}

const HELD = ['account_id', 'key_id', 'is_test', 'budget', 'period', 'amount'] as const;

/** What a reservation holds, and where. */
interface Held {
  readonly account_id: string;
  readonly key_id: string | null;
  readonly is_test: bigint;
  readonly period: string;
  readonly budget: Budget;
  readonly amount: bigint;
}

export async function reserve(
  sql: Sql,
  now: EpochNs,
  request: ReserveRequest,
): Promise<Reservation> {
  const { id, accountId, keyId, budget, period, expiresAt } = request;
  const amount = whole(request.amount, 'an amount to reserve');
  const limit = request.limit === null ? null : whole(request.limit, 'a limit');
  const testLimit = request.testLimit === null ? null : whole(request.testLimit, 'a limit');
  if (await isRepeated(sql, request)) return { granted: true };
  await giveBackExpired(sql, now, accountId);
  await sql
    .insertInto('month_usage')
    .values({ account_id: accountId, period, ...EMPTY_MONTH })
    .onConflict((conflict) => conflict.columns(['account_id', 'period']).doNothing())
    .execute();

  const { used, reserved, testUsed, testReserved } = COLUMNS[budget];
  let taking = sql
    .updateTable('month_usage')
    .set((eb) => ({
      [reserved]: eb(reserved, '+', amount),
      ...(testLimit === null ? {} : { [testReserved]: eb(testReserved, '+', amount) }),
    }))
    .where('account_id', '=', accountId)
    .where('period', '=', period);
  if (limit !== null) {
    taking = taking.where((eb) =>
      eb(eb(eb(used, '+', eb.ref(reserved)), '+', amount), '<=', limit),
    );
  }
  if (testLimit !== null) {
    taking = taking.where((eb) =>
      eb(eb(eb(testUsed, '+', eb.ref(testReserved)), '+', amount), '<=', testLimit),
    );
  }
  if ((await taking.returning('account_id').executeTakeFirst()) === undefined) {
    const month = await usageOf(sql, now, accountId, period);
    return { granted: false, remaining: remainingBudget(month, budget, request) };
  }
  await sql
    .insertInto('reservations')
    .values({
      id,
      account_id: accountId,
      key_id: keyId,
      is_test: testLimit === null ? 0 : 1,
      budget,
      amount,
      period,
      expires_at: expiresAt,
      state: 'open',
    })
    .execute();
  return { granted: true };
}

export async function settle(
  sql: Sql,
  now: EpochNs,
  id: string,
  settlement: Settlement,
): Promise<boolean> {
  const amount = whole(settlement.amount, 'an amount to charge');
  const historyItems = whole(settlement.historyItems ?? 0, 'a count of items');
  const closed = await close(sql, id, 'settled');
  if (closed === null) return false;
  const { used } = COLUMNS[closed.budget];
  await addUse(sql, closed, { [used]: amount, history_items: historyItems });
  await addDayUse(sql, closed.account_id, dayIn(closed.period, now), used, amount);
  return true;
}

export async function voidReservation(sql: Sql, id: string): Promise<boolean> {
  return (await close(sql, id, 'voided')) !== null;
}

/** What unsettled reservations of this account held beyond their expiry. */
async function giveBackExpired(sql: Sql, now: EpochNs, accountId: string): Promise<void> {
  const expired = await expiring(sql)
    .where('expires_at', '<=', now)
    .where('account_id', '=', accountId)
    .returning(HELD)
    .execute();
  for (const held of expired) await giveBack(sql, held);
}

/**
 * The same of all accounts, for some of them; how many. The rows of months are held before those of reservations, and
 * in one order, as by everybody who charges.
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

/** A write, since both databases wait for those. */
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

/** Some that were settled or voided long ago, or expired longer ago; how many. An open one stays. */
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

export async function addRestRequests(sql: Sql, counts: readonly RequestCount[]): Promise<void> {
  for (const { accountId, keyId, isTest, period, restRequests } of counts) {
    const whose = { account_id: accountId, key_id: keyId, is_test: isTest ? 1n : 0n, period };
    await addUse(sql, whose, { rest_requests: whole(restRequests, 'a count of requests') });
  }
}

/** One statement that only reads: what has expired but was not given back yet is left out. */
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
  return {
    used: countsOf(row),
    reserved: {
      computeUnits: Number(row.reserved_compute_units - row.expired_computeUnits!),
      exportBytes: Number(row.reserved_export_bytes - row.expired_exportBytes!),
    },
    tests: {
      used: {
        computeUnits: Number(row.test_compute_units),
        historyItems: Number(row.test_history_items),
        exportBytes: Number(row.test_export_bytes),
        restRequests: Number(row.test_rest_requests),
      },
      reserved: {
        computeUnits: Number(row.test_reserved_compute_units - row.test_expired_computeUnits!),
        exportBytes: Number(row.test_reserved_export_bytes - row.test_expired_exportBytes!),
      },
    },
  };
}

async function isRepeated(sql: Sql, { id, accountId, budget, amount }: ReserveRequest) {
  const earlier = await sql
    .selectFrom('reservations')
    .select(['account_id', 'budget', 'amount'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (earlier === undefined) return false;
  const isSame =
    earlier.account_id === accountId &&
    earlier.budget === budget &&
    earlier.amount === BigInt(amount);
  if (!isSame) throw new RangeError(`reservation ${id} was made for something else`);
  return true;
}

/** Leaves `open` or `expired` for good; null when the reservation is in neither state. */
async function close(
  sql: Sql,
  id: string,
  state: Extract<ReservationState, 'settled' | 'voided'>,
): Promise<Held | null> {
  const leave = (from: ReservationState) =>
    sql
      .updateTable('reservations')
      .set({ state })
      .where('id', '=', id)
      .where('state', '=', from)
      .returning(HELD)
      .executeTakeFirst();
  const held = await leave('open');
  if (held === undefined) return (await leave('expired')) ?? null;
  await giveBack(sql, held);
  return held;
}

async function giveBack(sql: Sql, held: Held): Promise<void> {
  const { reserved, testReserved } = COLUMNS[held.budget];
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

/** Counts at the account, at its test keys if it is one, and at the key itself. */
async function addUse(
  sql: Sql,
  whose: Pick<Held, 'account_id' | 'key_id' | 'is_test' | 'period'>,
  counts: Partial<Record<Count, bigint>>,
): Promise<void> {
  const { account_id, key_id, period } = whose;
  const columns = Object.keys(counts) as Count[];
  const ofTests = whose.is_test === 0n ? [] : columns;
  const testCounts = Object.fromEntries(ofTests.map((name) => [`test_${name}`, counts[name]]));
  await sql
    .insertInto('month_usage')
    .values({ account_id, period, ...EMPTY_MONTH, ...counts, ...testCounts })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'period']).doUpdateSet((eb) => {
        const names = [...columns, ...ofTests.map((name) => `test_${name}` as const)];
        return Object.fromEntries(
          names.map((name) => [name, eb(`month_usage.${name}`, '+', eb.ref(`excluded.${name}`))]),
        );
      }),
    )
    .execute();
  if (key_id === null) return;
  await sql
    .insertInto('key_usage')
    .values({ account_id, period, key_id, ...EMPTY_COUNTS, ...counts })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'period', 'key_id'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            columns.map((name) => [name, eb(`key_usage.${name}`, '+', eb.ref(`excluded.${name}`))]),
          ),
        ),
    )
    .execute();
}

export function whole(value: number, what: string): bigint {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what} must be a whole number from 0 on, got ${value}`);
  }
  return BigInt(value);
}
