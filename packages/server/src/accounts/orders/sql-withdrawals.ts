/** Withdrawals over a SQL database; see `withdrawals-store.ts`. */

import { createHash } from 'node:crypto';
import { judgeWithdrawal } from '@tapeloom/core/entitlement/withdrawal';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ExpressionBuilder } from 'kysely';
import { holdAccount, replaceGrants } from '../keys/sql-accounts.ts';
import { owe } from '../mails/sql-owe.ts';
import type { AccountSchema } from '../store/account-schema.ts';
import { latestDue } from '../store/sound-times.ts';
import { tell, type Writing } from '../store/sql-audit.ts';
import type { Sql } from '../store/sql-database.ts';
import type { SqlStore } from '../store/sql-store.ts';
import type { StoreCall } from '../store/store-call.ts';
import type { WithdrawalChange, WithdrawalRow } from './order-tables.ts';
import type { OrderRecord } from './orders-store.ts';
import { orderById, orderOf } from './sql-order-rows.ts';
import { withdrawalStatement } from './withdrawal-statement.ts';
import {
  type Declaration,
  type Declared,
  type HeldWithdrawal,
  WITHDRAWAL_WITHIN_NS,
  type WithdrawalProgress,
  type WithdrawalRecord,
  type WithdrawalRefused,
  type WithdrawalStep,
  type WithdrawalsStore,
} from './withdrawals-store.ts';

type Wish = { readonly accountId: string | null; readonly orderId: string } & Declaration;

export function sqlWithdrawals(store: SqlStore): WithdrawalsStore {
  return {
    withdrawalsOf: store.reads(async (sql, accountId) => {
      const all = sql.selectFrom('withdrawals').selectAll().where('account_id', '=', accountId);
      return (await all.orderBy('at', 'desc').orderBy('order_id').execute()).map(withdrawalOf);
    }),
    withdrawalOf: store.reads((sql, { id }) => find(sql, id)),
    declare: store.writes(declare),
    noteProgress: store.changes(noteProgress),
    takeWithdrawal: store.changes(async (sql, { id }, now, until) => {
      const row = await sql
        .updateTable('withdrawals')
        .set((eb) => ({ try_at: until, taken: eb('taken', '+', 1n) }))
        .where('order_id', '=', id)
        .where(isDue(now))
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : withdrawalOf(row);
    }),
    dueWithdrawals: store.reads(async (sql, now, limit) => {
      const due = sql.selectFrom('withdrawals').selectAll().where(isDue(now));
      const rows = await due.orderBy('try_at').orderBy('order_id').limit(limit).execute();
      return rows.map(withdrawalOf);
    }),
    waitingWithdrawals: store.reads(async (sql) => {
      const rows = await sql
        .selectFrom('withdrawals')
        .select(['state', (eb) => eb.fn.countAll().as('count')])
        .where('try_at', 'is not', null)
        .groupBy('state')
        .execute();
      return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
    }),
    forgetOrders: store.changes(forgetOrders),
  };
}

/** By its time, or because that is further off than the longest wait: a clock that was ahead wrote it. */
function isDue(now: EpochNs) {
  return (eb: ExpressionBuilder<AccountSchema, 'withdrawals'>) =>
    eb.or([eb('try_at', '<=', now), eb('try_at', '>', latestDue(now, WITHDRAWAL_WITHIN_NS))]);
}

async function noteProgress(
  sql: Sql,
  { orderId, taken }: HeldWithdrawal,
  progress: WithdrawalProgress,
): Promise<boolean> {
  const changed = sql.updateTable('withdrawals').set(changeOf(progress));
  const isFailure = 'tryAt' in progress && progress.fault !== null;
  const rows = await (isFailure
    ? changed.set((eb) => ({ attempts: eb('attempts', '+', 1n) }))
    : changed
  )
    .where('order_id', '=', orderId)
    .where('taken', '=', BigInt(taken))
    .returning('order_id')
    .execute();
  return rows.length > 0;
}

async function find(sql: Sql, orderId: string): Promise<WithdrawalRecord | null> {
  const row = await sql
    .selectFrom('withdrawals')
    .selectAll()
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  return row === undefined ? null : withdrawalOf(row);
}

async function declare(
  writing: Writing,
  call: StoreCall,
  wish: Wish,
): Promise<Declared | WithdrawalRefused> {
  const { sql } = writing;
  const named = await orderById(sql, wish.orderId);
  const isTheirs = wish.accountId === null || named?.accountId === wish.accountId;
  if (named === null || !isTheirs) return { refused: 'no-order' };
  // Reports of the provider about this order wait for this row too.
  await holdAccount(sql, named.accountId);
  const order = (await orderById(sql, wish.orderId))!;
  const known = await find(sql, order.id);
  if (known !== null) return { order, withdrawal: known, isNew: false };
  const verdict = judgeWithdrawal(order, call.now);
  if (!verdict.may) return { refused: 'no-right', why: verdict.why, order };
  const { amountMinor, share } = verdict;
  const { offerName, name, email } = wish;
  const statement = withdrawalStatement({ order, offerName, name, email, at: call.now });
  const row = await sql
    .insertInto('withdrawals')
    .values({
      order_id: order.id,
      account_id: order.accountId,
      at: call.now,
      via: wish.via,
      address: wish.address,
      session_id: wish.sessionId,
      email: wish.email,
      statement,
      statement_sha256: createHash('sha256').update(statement).digest('hex'),
      amount_minor: amountMinor,
      unused_ns: share.unusedNs,
      period_ns: share.periodNs,
      state: 'open',
      taken: 0,
      attempts: 0,
      try_at: call.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const after = await sql
    .updateTable('orders')
    .set({ withdrawn_at: call.now })
    .where('id', '=', order.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (wish.email !== null) {
    const kind = 'withdrawal-received';
    const receipt = { id: `${kind}.${order.id}`, kind, reader: wish.email } as const;
    await owe(sql, call.now, { ...receipt, orderId: order.id, details: {} });
  }
  const { accountId } = order;
  const details = { order: order.id, via: wish.via, amountMinor };
  await tell(writing, call, {
    kind: 'order.withdrawn',
    accountId,
    keyId: wish.sessionId,
    details,
  });
  await endRights(writing, call, order);
  return { order: orderOf(after), withdrawal: withdrawalOf(row), isNew: true };
}

async function endRights(writing: Writing, call: StoreCall, order: OrderRecord): Promise<void> {
  const granted = await writing.sql
    .selectFrom('grants')
    .select('plan')
    .where('account_id', '=', order.accountId)
    .where('source', '=', order.id)
    .limit(1)
    .executeTakeFirst();
  if (granted === undefined) return;
  await replaceGrants(writing, call, order.accountId, { source: order.id, grants: [] });
}

/** Reopens a settled withdrawal when a late payment arrives, for example by bank transfer: it must be refunded too. */
export async function takeUpAgain(sql: Sql, orderId: string, now: EpochNs): Promise<void> {
  await sql
    .updateTable('withdrawals')
    .set({ state: 'open', try_at: now, ended_at: null, refunded_at: null })
    .where('order_id', '=', orderId)
    .where('state', '=', 'done')
    .where('charge_id', 'is', null)
    .execute();
}

async function forgetOrders(sql: Sql, deletedBefore: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('orders')
    .innerJoin('account_deletions', 'account_deletions.account_id', 'orders.account_id')
    .select('orders.id')
    .where('account_deletions.done_at', '<', deletedBefore)
    .limit(limit);
  const ids = (await old.execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  // Without this the database rejects the removal.
  await sql
    .updateTable('orders_beginning')
    .set({ kept_from: deletedBefore })
    .where('kept_from', '<', deletedBefore)
    .execute();
  await sql.deleteFrom('withdrawals').where('order_id', 'in', ids).execute();
  await sql.deleteFrom('consents').where('order_id', 'in', ids).execute();
  await sql.deleteFrom('orders').where('id', 'in', ids).execute();
  return ids.length;
}

function changeOf(progress: WithdrawalProgress): WithdrawalChange {
  if ('heldUntil' in progress) return { ...stepOf(progress), try_at: progress.heldUntil };
  if (progress.state === 'done') {
    return { state: 'done', refunded_at: progress.refundedAt, try_at: null, fault: null };
  }
  return { state: progress.state, try_at: progress.tryAt, fault: progress.fault };
}

function stepOf(step: WithdrawalStep): WithdrawalChange {
  if ('endedAt' in step) return { ended_at: step.endedAt };
  if ('refundAskedAt' in step) return { refund_asked_at: step.refundAskedAt };
  const { chargeId, beforeMinor, minor } = step.refund;
  return { charge_id: chargeId, refund_before_minor: beforeMinor, refund_minor: minor };
}

function withdrawalOf(row: WithdrawalRow): WithdrawalRecord {
  const refund =
    row.charge_id === null
      ? null
      : {
          chargeId: row.charge_id,
          beforeMinor: Number(row.refund_before_minor),
          minor: Number(row.refund_minor),
        };
  return {
    orderId: row.order_id,
    accountId: row.account_id,
    at: row.at as EpochNs,
    via: row.via,
    address: row.address,
    sessionId: row.session_id,
    email: row.email,
    statement: row.statement,
    statementSha256: row.statement_sha256,
    amountMinor: Number(row.amount_minor),
    unusedNs: row.unused_ns,
    periodNs: row.period_ns,
    state: row.state,
    refund,
    toldAt: row.told_at as EpochNs | null,
    endedAt: row.ended_at as EpochNs | null,
    refundedAt: row.refunded_at as EpochNs | null,
    taken: Number(row.taken),
    refundAskedAt: row.refund_asked_at as EpochNs | null,
    attempts: Number(row.attempts),
    tryAt: row.try_at as EpochNs | null,
    fault: row.fault,
  };
}
