/**
 * The work of every page, replay and minute, each in one call: the statements of `sqlite-routines.ts` as functions. All
 * lock in one order, so charges of one account cannot deadlock: rows of months, the oldest first, then reservations,
 * then usage. A released function never changes; its next version gets a new number, since nodes of two programs may
 * share the database. Calls whose connection breaks are repeated: reserving an id again takes nothing more.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import { type Kysely, sql } from 'kysely';
import type { AccountSchema } from '../store/account-schema.ts';
import { makeFunction } from '../store/postgres/postgres-schema.ts';
import type { Settlement, SqlDatabase, SqlRoutines } from '../store/sql-database.ts';
import { EXPIRED_KEPT_NS, whole } from './sql-budgets.ts';
import type { RequestCount, Reservation, ReserveRequest } from './usage-store.ts';

/** Reservations remembered until they are closed; there are no more than calls in progress. */
const OPEN_MAX = 10_000;

type Database = Kysely<AccountSchema>;

/** Runs a call that may be repeated until its outcome is known; `isRepeated` is true from the second run on. */
type Repeating = <Result>(
  call: (database: Database, isRepeated: boolean) => Promise<Result>,
) => Promise<Result>;

export function postgresRoutines(
  { writing }: Pick<SqlDatabase, 'writing'>,
  repeating: Repeating,
): SqlRoutines {
  const open = new OpenReservations();
  const settle = async (
    database: Database,
    now: EpochNs,
    id: string,
    settlement: Settlement,
    isRepeated: boolean,
  ) => {
    const known = open.find(now, id);
    const outcome = await close(database, now, id, settlement);
    if (outcome !== null || known === null) return isDone(outcome, 'settled', isRepeated);
    if (!(await isThere(database, known))) return false;
    await reserve(database, now, known);
    return isDone(await close(database, now, id, settlement), 'settled', isRepeated);
  };
  return {
    reserve: async (now, request) => {
      const verdict = await repeating((database) => reserve(database, now, request));
      if (verdict.granted) open.add(now, request);
      return verdict;
    },
    settle: async (now, id, settlement) => {
      const isOurs = await repeating((database, isRepeated) =>
        settle(database, now, id, settlement, isRepeated),
      );
      open.forget(id);
      return isOurs;
    },
    settleWithin: (sql, now, id, settlement) => settle(sql, now, id, settlement, false),
    voidReservation: async (id) => {
      const isOurs = await repeating(async (database, isRepeated) =>
        isDone(await close(database, null, id, { amount: 0 }), 'voided', isRepeated),
      );
      open.forget(id);
      return isOurs;
    },
    addUsage: (counts) => writing((database) => addUsage(database, counts)),
    touchKeys: (lastUsed) => repeating((database) => touchKeys(database, lastUsed)),
  };
}

/** Whether we closed it: now, or in an earlier run whose response was lost, since no other node closes it. */
function isDone(outcome: string | null, state: string, isRepeated: boolean): boolean {
  return outcome === CLOSED || (isRepeated && outcome === state);
}

/**
 * Open reservations of this node. The database may lose acknowledged ones: unsynced ones in a crash, more when it is
 * restored from a backup. A reservation that is missing at its settlement is made again regardless of limits, so
 * admitted work is charged, unless its account is gone.
 */
class OpenReservations {
  readonly #requests = new Map<string, ReserveRequest>();

  add(now: EpochNs, request: ReserveRequest): void {
    if (this.#requests.size >= OPEN_MAX) this.#clear(now);
    const testLimit = request.testLimit === null ? null : Number.MAX_SAFE_INTEGER;
    this.#requests.set(request.id, { ...request, limit: null, testLimit, isSynced: true });
  }

  /** Null: it was closed, or is too old to be closed. */
  find(now: EpochNs, id: string): ReserveRequest | null {
    const request = this.#requests.get(id);
    return request === undefined || request.expiresAt + EXPIRED_KEPT_NS < now ? null : request;
  }

  forget(id: string): void {
    this.#requests.delete(id);
  }

  /** Removes expired reservations; if too many remain, the oldest too. */
  #clear(now: EpochNs): void {
    for (const [id, { expiresAt }] of this.#requests) {
      const isFull = this.#requests.size > OPEN_MAX / 2;
      if (expiresAt <= now || isFull) this.#requests.delete(id);
    }
  }
}

async function isThere(database: Database, { accountId }: ReserveRequest): Promise<boolean> {
  const found = database.selectFrom('accounts').select('id').where('id', '=', accountId);
  return (await found.executeTakeFirst()) !== undefined;
}

async function reserve(
  database: Database,
  now: EpochNs,
  request: ReserveRequest,
): Promise<Reservation> {
  const { id, accountId, keyId, budget, period, expiresAt } = request;
  const amount = whole(request.amount, 'an amount to reserve');
  const limit = request.limit === null ? null : whole(request.limit, 'a limit');
  const testLimit = request.testLimit === null ? null : whole(request.testLimit, 'a limit');
  const isSynced = request.isSynced !== false;
  const { rows } = await sql<{ outcome: bigint }>`select accounts_reserve_2(
    ${now}, ${id}, ${accountId}, ${keyId}, ${budget}, ${amount},
    ${limit}, ${testLimit}, ${period}, ${expiresAt}, ${isSynced}) as outcome`.execute(database);
  const outcome = Number(rows[0]!.outcome);
  if (outcome === OUTCOMES.granted) return { granted: true };
  if (outcome === OUTCOMES.another) {
    throw new RangeError(`reservation ${id} was made for something else`);
  }
  return { granted: false, remaining: outcome };
}

/** Results of `accounts_reserve_2`; a result from 0 on is a rejection with the remaining amount. */
const OUTCOMES = { granted: -1, another: -2 };

/** `CLOSED`, or the state it had before; null: it does not exist. Without `now` it is voided. */
async function close(
  database: Database,
  now: EpochNs | null,
  id: string,
  settlement: Settlement,
): Promise<string | null> {
  const amount = whole(settlement.amount, 'an amount to charge');
  const historyItems = whole(settlement.historyItems ?? 0, 'a count of items');
  const state = now === null ? 'voided' : 'settled';
  const period = now === null ? '' : periodOf(now);
  const day = now === null ? 0n : BigInt(dayOf(now));
  const { rows } = await sql<{ outcome: string | null }>`select accounts_close_1(
    ${id}, ${state}, ${amount}, ${historyItems}, ${period}, ${day}) as outcome`.execute(database);
  return rows[0]!.outcome;
}

/** The result of `accounts_close_1` on success. */
const CLOSED = 'closed';

/**
 * In the order of the rows, so that concurrent nodes do not deadlock. Counts of an account that the database no longer
 * has are dropped, so that they do not prevent the others from being written.
 */
async function addUsage(database: Database, counts: readonly RequestCount[]): Promise<void> {
  const columns = sql`unnest(
    ${counts.map(({ accountId }) => accountId)}::text[], ${counts.map(({ period }) => period)}::text[],
    ${counts.map(({ keyId }) => keyId)}::text[], ${counts.map(({ isTest }) => (isTest ? 1n : 0n))}::int8[],
    ${counts.map(({ restRequests }) => whole(restRequests, 'a count of requests'))}::int8[]
  ) as used (account_id, period, key_id, is_test, requests)
  where exists (select from accounts where accounts.id = used.account_id)`;
  await sql`insert into month_usage as month (account_id, period, rest_requests, test_rest_requests)
    select account_id, period, sum(requests)::int8, sum(requests * is_test)::int8 from ${columns}
    group by account_id, period order by account_id, period
    on conflict (account_id, period) do update set
      rest_requests = month.rest_requests + excluded.rest_requests,
      test_rest_requests = month.test_rest_requests + excluded.test_rest_requests`.execute(
    database,
  );
  await sql`insert into key_usage as used_before (account_id, period, key_id, rest_requests)
    select account_id, period, key_id, sum(requests)::int8 from ${columns}
    group by account_id, period, key_id order by account_id, period, key_id
    on conflict (account_id, period, key_id) do update set
      rest_requests = used_before.rest_requests + excluded.rest_requests`.execute(database);
}

async function touchKeys(
  database: Database,
  lastUsed: ReadonlyMap<string, EpochNs>,
): Promise<void> {
  const minutes = [...lastUsed.values()].map((instant) => instant - (instant % MINUTE_NS_BIG));
  await sql`with used as (
      select * from unnest(${[...lastUsed.keys()]}::text[], ${minutes}::int8[]) as used (id, minute)
    ), held as (
      select keys.id, used.minute from keys join used on used.id = keys.id
      where keys.last_used_at is null or keys.last_used_at < used.minute
      order by keys.id for update of keys
    )
    update keys set last_used_at = greatest(keys.last_used_at, held.minute)
    from held where keys.id = held.id`.execute(database);
}

export async function makeRoutines(database: Kysely<unknown>): Promise<void> {
  await makeFunction(
    database,
    'accounts_hold_month_1',
    'void',
    HOLD_MONTH,
    'account text, month text',
  );
  await makeFunction(
    database,
    'accounts_give_back_2',
    'void',
    GIVE_BACK,
    'instant int8, account text, months text[]',
  );
  await makeFunction(
    database,
    'accounts_reserve_2',
    'int8',
    RESERVE,
    `instant int8, reservation text, account text, key text, budget_name text, wanted int8,
     most int8, test_most int8, month text, expiry int8, is_synced boolean`,
  );
  await makeFunction(
    database,
    'accounts_close_1',
    'text',
    CLOSE,
    `reservation text, new_state text, charged int8, items int8, current_month text, today int8`,
  );
}

/** Locks the row of an account's month until the transaction ends, and creates it if missing. */
const HOLD_MONTH = `begin
  perform 1 from month_usage where account_id = account and period = month for update;
  if found then return; end if;
  insert into month_usage (account_id, period) values (account, month) on conflict do nothing;
  perform 1 from month_usage where account_id = account and period = month for update;
end`;

/** Releases expired reservations of an account in months whose rows the caller has locked. */
const GIVE_BACK = `declare
  held record;
begin
  for held in
    update reservations set state = 'expired'
    where state = 'open' and expires_at <= instant and account_id = account
      and period = any(months)
    returning period, budget, is_test, amount
  loop
    update month_usage set
      reserved_compute_units = reserved_compute_units
        - case held.budget when 'computeUnits' then held.amount else 0 end,
      reserved_export_bytes = reserved_export_bytes
        - case held.budget when 'exportBytes' then held.amount else 0 end,
      test_reserved_compute_units = test_reserved_compute_units
        - case held.budget when 'computeUnits' then held.amount * held.is_test else 0 end,
      test_reserved_export_bytes = test_reserved_export_bytes
        - case held.budget when 'exportBytes' then held.amount * held.is_test else 0 end
    where account_id = account and period = held.period;
  end loop;
end`;

const RESERVE = `declare
  earlier reservations%rowtype;
  months text[];
  one text;
  usage month_usage%rowtype;
  left_over int8;
  test_left_over int8;
  of_tests int8 := case when test_most is null then 0 else wanted end;
begin
  if not is_synced then perform set_config('synchronous_commit', 'off', true); end if;
  -- Also those of earlier months of which something is given back below.
  months := array(
    select distinct period from reservations
    where state = 'open' and expires_at <= instant and account_id = account
    union select month order by 1);
  foreach one in array months loop perform accounts_hold_month_1(account, one); end loop;
  select * into earlier from reservations where id = reservation;
  if found then
    return case when earlier.account_id = account and earlier.budget = budget_name
      and earlier.amount = wanted then ${OUTCOMES.granted} else ${OUTCOMES.another} end;
  end if;
  perform accounts_give_back_2(instant, account, months);
  select * into usage from month_usage where account_id = account and period = month;
  if budget_name = 'computeUnits' then
    left_over := most - usage.compute_units - usage.reserved_compute_units;
    test_left_over := test_most - usage.test_compute_units - usage.test_reserved_compute_units;
  else
    left_over := most - usage.export_bytes - usage.reserved_export_bytes;
    test_left_over := test_most - usage.test_export_bytes - usage.test_reserved_export_bytes;
  end if;
  -- A limit that is null is none: comparisons with null are not true, and least() passes over it.
  if left_over < wanted or test_left_over < wanted then
    return greatest(0, least(left_over, test_left_over));
  end if;
  if budget_name = 'computeUnits' then
    update month_usage set
      reserved_compute_units = reserved_compute_units + wanted,
      test_reserved_compute_units = test_reserved_compute_units + of_tests
    where account_id = account and period = month;
  else
    update month_usage set
      reserved_export_bytes = reserved_export_bytes + wanted,
      test_reserved_export_bytes = test_reserved_export_bytes + of_tests
    where account_id = account and period = month;
  end if;
  insert into reservations
    (id, account_id, key_id, is_test, budget, amount, period, expires_at, state)
  values (reservation, account, key, case when test_most is null then 0 else 1 end, budget_name,
    wanted, month, expiry, 'open');
  return ${OUTCOMES.granted};
end`;

/** The charged day: today if it is in the month, else the nearest day of the month. */
const CHARGED_DAY = `case
  when held.period = current_month then today
  when current_month < held.period then to_char(to_date(held.period, 'YYYY-MM'), 'YYYYMMDD')::int8
  else to_char(to_date(held.period, 'YYYY-MM') + interval '1 month - 1 day', 'YYYYMMDD')::int8
end`;

const CLOSE = `declare
  held reservations%rowtype;
  given_back int8;
  units int8 := 0;
  bytes int8 := 0;
begin
  select * into held from reservations where id = reservation;
  if not found then return null; end if;
  perform accounts_hold_month_1(held.account_id, held.period);
  select * into held from reservations where id = reservation for update;
  if held.state is null or held.state not in ('open', 'expired') then return held.state; end if;
  given_back := case held.state when 'open' then held.amount else 0 end;
  update reservations set state = new_state where id = reservation;
  if held.budget = 'computeUnits' then
    units := charged;
    update month_usage set
      compute_units = compute_units + charged,
      history_items = history_items + items,
      reserved_compute_units = reserved_compute_units - given_back,
      test_compute_units = test_compute_units + charged * held.is_test,
      test_history_items = test_history_items + items * held.is_test,
      test_reserved_compute_units = test_reserved_compute_units - given_back * held.is_test
    where account_id = held.account_id and period = held.period;
  else
    bytes := charged;
    update month_usage set
      export_bytes = export_bytes + charged,
      history_items = history_items + items,
      reserved_export_bytes = reserved_export_bytes - given_back,
      test_export_bytes = test_export_bytes + charged * held.is_test,
      test_history_items = test_history_items + items * held.is_test,
      test_reserved_export_bytes = test_reserved_export_bytes - given_back * held.is_test
    where account_id = held.account_id and period = held.period;
  end if;
  if new_state <> 'settled' then return '${CLOSED}'; end if;
  if held.key_id is not null then
    insert into key_usage as used
      (account_id, period, key_id, compute_units, history_items, export_bytes)
    values (held.account_id, held.period, held.key_id, units, items, bytes)
    on conflict (account_id, period, key_id) do update set
      compute_units = used.compute_units + excluded.compute_units,
      history_items = used.history_items + excluded.history_items,
      export_bytes = used.export_bytes + excluded.export_bytes;
  end if;
  if charged > 0 then
    insert into day_usage as used (account_id, day, compute_units, export_bytes)
    values (held.account_id, ${CHARGED_DAY}, units, bytes)
    on conflict (account_id, day) do update set
      compute_units = used.compute_units + excluded.compute_units,
      export_bytes = used.export_bytes + excluded.export_bytes;
  end if;
  return '${CLOSED}';
end`;
