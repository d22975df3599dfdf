/** Concurrent charges of one account across the turn of a month cannot deadlock. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type Kysely, sql } from 'kysely';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import type { AccountSchema } from '../store/account-schema.ts';
import { openPostgresDatabase } from '../store/postgres/postgres-database.ts';
import { openSqlAccountStore } from '../store/sql-account-store.ts';
import { postgresRoutines } from './postgres-routines.ts';

const SEPTEMBER = BigInt(Date.UTC(2026, 8, 30, 23, 59)) * 1_000_000n;
const OCTOBER = (BigInt(Date.UTC(2026, 9, 1, 0, 1)) * 1_000_000n) as EpochNs;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(async () => await server[Symbol.asyncDispose]());

/** Routines without retries after conflicts, so a deadlock shows as an error. */
async function openRoutines() {
  const url = await server.database();
  const store = await openSqlAccountStore(openPostgresDatabase({ url }));
  const account = await store.createAccount(
    { now: SEPTEMBER as EpochNs, actor: { kind: 'operator' } },
    { name: 'a', grants: [] },
  );
  assert.ok('id' in account);
  const database = openPostgresDatabase({ url });
  const routines = postgresRoutines(
    { writing: (work) => database.kysely.transaction().execute(work) },
    (call) => call(database.kysely, false),
  );
  const rights = { accountId: account.id, keyId: 'key_1', budget: 'computeUnits' } as const;
  const reserve = (id: string, period: string, now: bigint, expiresAt: bigint) =>
    routines.reserve(now as EpochNs, {
      ...rights,
      ...{ id, period, amount: 10, limit: 1_000, testLimit: null },
      expiresAt: expiresAt as EpochNs,
    });
  // The reservation of September has expired by October and was not released.
  await reserve('old', '2026-09', SEPTEMBER, SEPTEMBER + 1n);
  return {
    accountId: account.id,
    kysely: database.kysely,
    routines,
    reserve,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Locks the row of the month; resolves once it holds it. */
async function holdMonth(kysely: Kysely<AccountSchema>, accountId: string, month: string) {
  const held = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const over = kysely.transaction().execute(async (transaction) => {
    await sql`insert into month_usage (account_id, period) values (${accountId}, ${month})
      on conflict do nothing`.execute(transaction);
    await sql`select 1 from month_usage where account_id = ${accountId} and period = ${month}
      for update`.execute(transaction);
    held.resolve();
    await letGo.promise;
  });
  await Promise.race([held.promise, over]);
  return {
    letGo: () => {
      letGo.resolve();
      return over;
    },
  };
}

/** Resolves when this many statements wait for locks. */
async function untilWaiting(kysely: Kysely<AccountSchema>, count: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waiting: bigint }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(kysely);
    if (Number(rows[0]!.waiting) >= count) return;
  }
}

async function usage(kysely: Kysely<AccountSchema>) {
  const rows = await kysely
    .selectFrom('month_usage')
    .select(['period', 'compute_units', 'reserved_compute_units', 'rest_requests'])
    .orderBy('period')
    .execute();
  return rows.map((row) => Object.values(row).map(String));
}

for (const first of ['settle', 'reserve'] as const) {
  test(`settling what expired last month and reserving in this one do not wait in a circle, ${first} first`, async () => {
    await using open = await openRoutines();
    const { kysely, accountId, routines, reserve } = open;
    const month = await holdMonth(kysely, accountId, '2026-09');
    const calls = {
      settle: () => routines.settle(OCTOBER, 'old', { amount: 7 }),
      reserve: () => reserve('new', '2026-10', OCTOBER, OCTOBER + 1_000n),
    };
    const second = first === 'settle' ? 'reserve' : 'settle';
    const one = calls[first]();
    await untilWaiting(kysely, 1);
    const two = calls[second]();
    await untilWaiting(kysely, 2);
    await month.letGo();
    const outcomes = await Promise.allSettled([one, two]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
    assert.deepEqual(await usage(kysely), [
      ['2026-09', '7', '0', '0'],
      ['2026-10', '0', '10', '0'],
    ]);
  });
}

test('counting requests of both months and reserving in the new one do not wait in a circle', async () => {
  await using open = await openRoutines();
  const { kysely, accountId, routines, reserve } = open;
  const month = await holdMonth(kysely, accountId, '2026-09');
  const counts = ['2026-09', '2026-10'].map((period) => {
    return { accountId, period, keyId: 'key_1', isTest: false, restRequests: 1 };
  });
  const counting = routines.addUsage(counts);
  await untilWaiting(kysely, 1);
  const reserving = reserve('new', '2026-10', OCTOBER, OCTOBER + 1_000n);
  await untilWaiting(kysely, 2);
  await month.letGo();
  const outcomes = await Promise.allSettled([counting, reserving]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
  assert.deepEqual(await usage(kysely), [
    ['2026-09', '0', '0', '1'],
    ['2026-10', '0', '10', '1'],
  ]);
});
