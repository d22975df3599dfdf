/**
 * Budgets of a month. What is used and what is reserved never exceed a limit by a reservation: the
 * statement that reserves also judges. A reservation holds its amount while its state is `open`, and it
 * leaves that state once: whoever changes the state gives the amount back, so it is never given twice,
 * whatever the clock does. Everything happens in the month that reserved.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type { AccountSchema, ReservationState } from './account-schema.ts';
import {
  BUDGETS,
  type Budget,
  type MonthUsage,
  type Reservation,
  type ReserveRequest,
} from './account-store.ts';
import type { Sql } from './sql-database.ts';

/**
 * How long the id of a closed reservation is remembered beyond its expiry: 40 days, longer than anybody
 * repeats a request. Until then the id takes nothing a second time, and an expired one can be settled.
 */
export const RESERVATION_KEPT_NS = 40n * 86_400_000_000_000n;

const COLUMNS = {
  computeUnits: { used: 'compute_units', reserved: 'reserved_compute_units' },
  exportBytes: { used: 'export_bytes', reserved: 'reserved_export_bytes' },
} as const satisfies Record<Budget, unknown>;

export interface Settlement {
  readonly amount: number;
  readonly historyItems?: number;
}

/** What a reservation holds, and where. */
interface Held {
  readonly account_id: string;
  readonly period: string;
  readonly budget: Budget;
  readonly amount: bigint;
}

export async function reserve(
  sql: Sql,
  now: EpochNs,
  request: ReserveRequest,
): Promise<Reservation> {
  const { id, accountId, budget, period, expiresAt } = request;
  const amount = whole(request.amount, 'an amount to reserve');
  const limit = whole(request.limit, 'a limit');
  if (await isRepeated(sql, request)) return { granted: true };
  await giveBackExpired(sql, now, accountId);
  await sql
    .insertInto('month_usage')
    .values(emptyMonth(accountId, period))
    .onConflict((conflict) => conflict.columns(['account_id', 'period']).doNothing())
    .execute();

  const { used, reserved } = COLUMNS[budget];
  const taken = await sql
    .updateTable('month_usage')
    .set((eb) => ({ [reserved]: eb(reserved, '+', amount) }))
    .where('account_id', '=', accountId)
    .where('period', '=', period)
    .where((eb) => eb(eb(eb(used, '+', eb.ref(reserved)), '+', amount), '<=', limit))
    .returning('account_id')
    .executeTakeFirst();
  if (taken === undefined) {
    const month = await usageOf(sql, now, accountId, period);
    const remaining = Number(limit) - month.used[budget] - month.reserved[budget];
    return { granted: false, remaining: Math.max(0, remaining) };
  }
  await sql
    .insertInto('reservations')
    .values({
      id,
      account_id: accountId,
      budget,
      amount,
      period,
      expires_at: expiresAt,
      state: 'open',
    })
    .execute();
  return { granted: true };
}

export async function settle(sql: Sql, id: string, settlement: Settlement): Promise<boolean> {
  const amount = whole(settlement.amount, 'an amount to charge');
  const historyItems = whole(settlement.historyItems ?? 0, 'a count of items');
  const closed = await close(sql, id, 'settled');
  if (closed === null) return false;
  const { used } = COLUMNS[closed.budget];
  await sql
    .updateTable('month_usage')
    .set((eb) => ({
      [used]: eb(used, '+', amount),
      history_items: eb('history_items', '+', historyItems),
    }))
    .where('account_id', '=', closed.account_id)
    .where('period', '=', closed.period)
    .execute();
  return true;
}

export async function voidReservation(sql: Sql, id: string): Promise<boolean> {
  return (await close(sql, id, 'voided')) !== null;
}

/** What unsettled reservations of this account, or of all, held beyond their expiry. */
export async function giveBackExpired(
  sql: Sql,
  now: EpochNs,
  accountId: string | null,
): Promise<void> {
  let update = sql
    .updateTable('reservations')
    .set({ state: 'expired' })
    .where('state', '=', 'open')
    .where('expires_at', '<=', now);
  if (accountId !== null) update = update.where('account_id', '=', accountId);
  const expired = await update.returning(['account_id', 'budget', 'period', 'amount']).execute();
  for (const held of expired) await giveBack(sql, held);
}

/** Ids of long closed reservations; an open one stays until it was given back. */
export async function forgetReservations(sql: Sql, now: EpochNs): Promise<void> {
  await sql
    .deleteFrom('reservations')
    .where('state', '!=', 'open')
    .where('expires_at', '<', now - RESERVATION_KEPT_NS)
    .execute();
}

export async function addRestRequests(
  sql: Sql,
  counts: readonly {
    readonly accountId: string;
    readonly period: string;
    readonly restRequests: number;
  }[],
): Promise<void> {
  for (const { accountId, period, restRequests } of counts) {
    await sql
      .insertInto('month_usage')
      .values({
        ...emptyMonth(accountId, period),
        rest_requests: whole(restRequests, 'a count of requests'),
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'period']).doUpdateSet((eb) => ({
          rest_requests: eb('month_usage.rest_requests', '+', eb.ref('excluded.rest_requests')),
        })),
      )
      .execute();
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
      BUDGETS.map((budget) =>
        eb
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
          .where('budget', '=', budget)
          .as(`expired_${budget}` as const),
      ),
    )
    .where('month.account_id', '=', accountId)
    .where('month.period', '=', period)
    .executeTakeFirst();
  return {
    used: {
      computeUnits: Number(row?.compute_units ?? 0),
      historyItems: Number(row?.history_items ?? 0),
      exportBytes: Number(row?.export_bytes ?? 0),
      restRequests: Number(row?.rest_requests ?? 0),
    },
    reserved: {
      computeUnits: Number((row?.reserved_compute_units ?? 0n) - (row?.expired_computeUnits ?? 0n)),
      exportBytes: Number((row?.reserved_export_bytes ?? 0n) - (row?.expired_exportBytes ?? 0n)),
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
      .returning(['account_id', 'budget', 'period', 'amount'])
      .executeTakeFirst();
  const held = await leave('open');
  if (held === undefined) return (await leave('expired')) ?? null;
  await giveBack(sql, held);
  return held;
}

async function giveBack(sql: Sql, held: Held): Promise<void> {
  const { reserved } = COLUMNS[held.budget];
  await sql
    .updateTable('month_usage')
    .set((eb) => ({ [reserved]: eb(reserved, '-', held.amount) }))
    .where('account_id', '=', held.account_id)
    .where('period', '=', held.period)
    .execute();
}

function emptyMonth(accountId: string, period: string) {
  return {
    account_id: accountId,
    period,
    compute_units: 0,
    history_items: 0,
    export_bytes: 0,
    rest_requests: 0,
    reserved_compute_units: 0,
    reserved_export_bytes: 0,
  };
}

function whole(value: number, what: string): bigint {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what} must be a whole number from 0 on, got ${value}`);
  }
  return BigInt(value);
}
