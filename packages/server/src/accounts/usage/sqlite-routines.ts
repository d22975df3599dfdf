/**
 * The work of every page, replay and minute, each in its own transaction. Its statements are prepared once and run
 * synchronously while the connection is held: building their text each time would cost more than anything but the
 * commit. `sql-budgets.ts` describes their invariants.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayIn } from '@tapeloom/core/quota/month';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import { remainingBudget } from '../limits/remaining-budget.ts';
import type { Settlement, SqlRoutines } from '../store/sql-database.ts';
import { BUDGET_COLUMNS, type Held, monthUsageOf, whole } from './sql-budgets.ts';
import type { Budget, RequestCount, Reservation, ReserveRequest } from './usage-store.ts';
import type { MonthRow } from './usage-tables.ts';

/** Holds the connection exclusively until the work is done. */
type Holding = <Result>(work: () => Result) => Promise<Result>;

type Named = Readonly<Record<string, SQLInputValue>>;

type Whose = Pick<Held, 'account_id' | 'key_id' | 'is_test' | 'period'>;

export function sqliteRoutines(connection: DatabaseSync, holding: Holding): SqlRoutines {
  const statements = new SqliteBudgets(connection);
  const synced = <Result>(work: () => Result) => holding(() => statements.transact(work));
  /**
   * A commit syncs the whole log, so the next synced one includes this. No other transaction runs at the lower level.
   */
  const unsynced = <Result>(work: () => Result) =>
    holding(() => {
      connection.exec('PRAGMA synchronous = NORMAL');
      try {
        return statements.transact(work);
      } finally {
        connection.exec('PRAGMA synchronous = FULL');
      }
    });
  return {
    // A crash of the machine voids an unsynced reservation, like an expiry; its settlement carries it to disk.
    reserve: (now, request) =>
      (request.isSynced === false ? unsynced : synced)(() => statements.reserve(now, request)),
    settle: (now, id, settlement) => synced(() => statements.settle(now, id, settlement)),
    // The transaction runs on this connection.
    settleWithin: async (_sql, now, id, settlement) => statements.settle(now, id, settlement),
    voidReservation: (id) => synced(() => statements.voidReservation(id)),
    addUsage: (counts) => synced(() => statements.addRequests(counts)),
    touchKeys: (lastUsed) => synced(() => statements.touchKeys(lastUsed)),
  };
}

class SqliteBudgets {
  readonly #connection: DatabaseSync;
  /** Prepared at first use: by then the tables exist. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  transact<Result>(work: () => Result): Result {
    this.#run(BEGIN);
    try {
      const result = work();
      this.#run(COMMIT);
      return result;
    } catch (error) {
      // SQLite rolls back by itself on a full disk and similar errors.
      if (this.#connection.isTransaction) this.#run(ROLLBACK);
      throw error;
    }
  }

  reserve(now: EpochNs, request: ReserveRequest): Reservation {
    const { id, accountId, keyId, budget, period, expiresAt } = request;
    const amount = whole(request.amount, 'an amount to reserve');
    const limit = request.limit === null ? null : whole(request.limit, 'a limit');
    const testLimit = request.testLimit === null ? null : whole(request.testLimit, 'a limit');
    if (this.#isRepeated(request)) return { granted: true };
    this.#giveBackExpired(now, accountId);
    const month = { account_id: accountId, period };
    const testAmount = testLimit === null ? 0n : amount;
    const taking = { ...month, amount, testAmount, limit, testLimit };
    const take = () => this.#run(TAKE[budget], taking) > 0;
    // Either it is rejected, or the month has no row yet.
    if (!take() && !(this.#openMonth(month) && take())) {
      const row = this.#get<MonthRow>(MONTH, month)!;
      return {
        granted: false,
        remaining: remainingBudget(monthUsageOf(row), budget, request),
      };
    }
    const is_test = testLimit === null ? 0n : 1n;
    const whose = { id, account_id: accountId, key_id: keyId, is_test };
    this.#run(RESERVE, { ...whose, budget, amount, period, expires_at: expiresAt });
    return { granted: true };
  }

  settle(now: EpochNs, id: string, settlement: Settlement): boolean {
    const amount = whole(settlement.amount, 'an amount to charge');
    const items = whole(settlement.historyItems ?? 0, 'a count of items');
    const held = this.#close(id, 'settled');
    if (held === null) return false;
    const units = held.budget === 'computeUnits' ? amount : 0n;
    const bytes = held.budget === 'exportBytes' ? amount : 0n;
    this.#addUse(held, { units, items, bytes, requests: 0n });
    if (amount === 0n) return true;
    const day = BigInt(dayIn(held.period, now));
    this.#run(ADD_DAY_USE, { account_id: held.account_id, day, units, bytes });
    return true;
  }

  voidReservation(id: string): boolean {
    return this.#close(id, 'voided') !== null;
  }

  addRequests(counts: readonly RequestCount[]): void {
    for (const { accountId, keyId, isTest, period, restRequests } of counts) {
      if (this.#get(ACCOUNT, { id: accountId }) === undefined) continue;
      const whose = { account_id: accountId, key_id: keyId, is_test: isTest ? 1n : 0n, period };
      const requests = whole(restRequests, 'a count of requests');
      this.#addUse(whose, { units: 0n, items: 0n, bytes: 0n, requests });
    }
  }

  touchKeys(lastUsed: ReadonlyMap<string, EpochNs>): void {
    for (const [id, instant] of lastUsed) {
      this.#run(TOUCH_KEY, { id, minute: instant - (instant % MINUTE_NS_BIG) });
    }
  }

  #isRepeated({ id, accountId, budget, amount }: ReserveRequest): boolean {
    const earlier = this.#get<Held>(EARLIER, { id });
    if (earlier === undefined) return false;
    const isSame =
      earlier.account_id === accountId &&
      earlier.budget === budget &&
      earlier.amount === BigInt(amount);
    if (!isSame) throw new RangeError(`reservation ${id} was made for something else`);
    return true;
  }

  /** Releases expired reservations of this account. */
  #giveBackExpired(now: EpochNs, account_id: string): void {
    const expired = this.#prepared(EXPIRE).all({ now, account_id });
    for (const held of expired) this.#giveBack(held as unknown as Held);
  }

  /** Leaves `open` or `expired` for good; null when the reservation has neither state. */
  #close(id: string, state: 'settled' | 'voided'): Held | null {
    const held = this.#get<Held>(LEAVE, { id, state, from: 'open' });
    if (held === undefined) return this.#get<Held>(LEAVE, { id, state, from: 'expired' }) ?? null;
    this.#giveBack(held);
    return held;
  }

  #giveBack({ account_id, period, budget, amount, is_test }: Held): void {
    this.#run(GIVE_BACK[budget], { account_id, period, amount, testAmount: amount * is_test });
  }

  /** Counts for the account, for its test keys if it is one, and for the key itself. */
  #addUse({ account_id, key_id, is_test, period }: Whose, use: Use): void {
    const month = { account_id, period };
    const counts = { ...month, ...use, is_test };
    if (this.#run(ADD_USE, counts) === 0) {
      this.#openMonth(month);
      this.#run(ADD_USE, counts);
    }
    if (key_id !== null) this.#run(ADD_KEY_USE, { ...month, key_id, ...use });
  }

  /** Whether the row was missing. */
  #openMonth(month: Pick<Held, 'account_id' | 'period'>): boolean {
    return this.#run(OPEN_MONTH, month) > 0;
  }

  /** The number of changed rows. */
  #run(text: string, named: Named = {}): number {
    return Number(this.#prepared(text).run(named).changes);
  }

  #get<Row>(text: string, named: Named): Row | undefined {
    return this.#prepared(text).get(named) as Row | undefined;
  }

  #prepared(text: string): StatementSync {
    return this.#statements.getOrInsertComputed(text, () => this.#connection.prepare(text));
  }
}

type Use = Readonly<Record<'units' | 'items' | 'bytes' | 'requests', bigint>>;

const BEGIN = 'begin immediate';
const COMMIT = 'commit';
const ROLLBACK = 'rollback';

const HELD = 'account_id, key_id, is_test, budget, period, amount';
const OF_MONTH = 'where account_id = :account_id and period = :period';

const ACCOUNT = 'select id from accounts where id = :id';
const EARLIER = 'select account_id, budget, amount from reservations where id = :id';
const MONTH = `select * from month_usage ${OF_MONTH}`;
const OPEN_MONTH = `insert into month_usage (account_id, period) values (:account_id, :period)
  on conflict (account_id, period) do nothing`;
const RESERVE = `insert into reservations
  (id, account_id, key_id, is_test, budget, amount, period, expires_at, state)
  values (:id, :account_id, :key_id, :is_test, :budget, :amount, :period, :expires_at, 'open')`;
const LEAVE = `update reservations set state = :state where id = :id and state = :from returning ${HELD}`;
const EXPIRE = `update reservations set state = 'expired'
  where state = 'open' and expires_at <= :now and account_id = :account_id returning ${HELD}`;

/** The statement that reserves checks both limits. */
const TAKE = ofBudgets(
  ({ used, reserved, testUsed, testReserved }) =>
    `update month_usage set ${reserved} = ${reserved} + :amount,
      ${testReserved} = ${testReserved} + :testAmount
    ${OF_MONTH} and (:limit is null or ${used} + ${reserved} + :amount <= :limit)
      and (:testLimit is null or ${testUsed} + ${testReserved} + :amount <= :testLimit)`,
);
const GIVE_BACK = ofBudgets(
  ({ reserved, testReserved }) =>
    `update month_usage set ${reserved} = ${reserved} - :amount,
      ${testReserved} = ${testReserved} - :testAmount ${OF_MONTH}`,
);

const ADD_USE = `update month_usage set
  compute_units = compute_units + :units, history_items = history_items + :items,
  export_bytes = export_bytes + :bytes, rest_requests = rest_requests + :requests,
  test_compute_units = test_compute_units + :units * :is_test,
  test_history_items = test_history_items + :items * :is_test,
  test_export_bytes = test_export_bytes + :bytes * :is_test,
  test_rest_requests = test_rest_requests + :requests * :is_test ${OF_MONTH}`;
const ADD_KEY_USE = `insert into key_usage
  (account_id, period, key_id, compute_units, history_items, export_bytes, rest_requests)
  values (:account_id, :period, :key_id, :units, :items, :bytes, :requests)
  on conflict (account_id, period, key_id) do update set
    compute_units = compute_units + excluded.compute_units,
    history_items = history_items + excluded.history_items,
    export_bytes = export_bytes + excluded.export_bytes,
    rest_requests = rest_requests + excluded.rest_requests`;
const ADD_DAY_USE = `insert into day_usage (account_id, day, compute_units, export_bytes)
  values (:account_id, :day, :units, :bytes)
  on conflict (account_id, day) do update set
    compute_units = compute_units + excluded.compute_units,
    export_bytes = export_bytes + excluded.export_bytes`;
const TOUCH_KEY = `update keys set last_used_at = :minute
  where id = :id and (last_used_at is null or last_used_at < :minute)`;

function ofBudgets(
  text: (columns: (typeof BUDGET_COLUMNS)[Budget]) => string,
): Readonly<Record<Budget, string>> {
  const { computeUnits, exportBytes } = BUDGET_COLUMNS;
  return { computeUnits: text(computeUnits), exportBytes: text(exportBytes) };
}
