/** The account store over a SQL database: each method but `sweep` is one transaction; see `SqlStore`. */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import { FORGOTTEN_TOKENS, sqlKeys } from '../keys/sql-keys-store.ts';
import { forgetLayouts } from '../layouts/sql-layout-removal.ts';
import { sqlLayouts } from '../layouts/sql-layouts.ts';
import { sqlMails } from '../mails/sql-mails.ts';
import { sqlOrders } from '../orders/sql-orders-store.ts';
import { sqlWithdrawals } from '../orders/sql-withdrawals.ts';
import { doRecoveries } from '../people/sql-passkey-recoveries.ts';
import { sqlPasskeys } from '../people/sql-passkeys-store.ts';
import { FORGOTTEN_PEOPLE, sqlPeople } from '../people/sql-people-store.ts';
import { forgetStatus, sqlStatus } from '../status/sql-status.ts';
import { oweUsageMails } from '../usage/sql-usage-mails.ts';
import { FORGOTTEN_USAGE, sqlUsage } from '../usage/sql-usage-store.ts';
import type { AccountStore } from './account-store.ts';
import { hasSchema, requireNewestSchema } from './migrations/migrate.ts';
import { readAudit, trimAudit } from './sql-audit.ts';
import type { Sql, SqlDatabase } from './sql-database.ts';
import { forgetDone } from './sql-once.ts';
import { SqlStore } from './sql-store.ts';

/** Housekeeping removes this many rows in one transaction; with the steps, 50,000 rows of one kind a minute. */
const SWEEP_STEP_ROWS = 500;
const SWEEP_STEPS_MAX = 100;

const FORGOTTEN = [
  ...FORGOTTEN_USAGE,
  ...FORGOTTEN_TOKENS,
  forgetDone,
  ...FORGOTTEN_PEOPLE,
  forgetStatus,
  forgetLayouts,
];

export interface SqlAccountStoreOptions {
  /** Random bytes for ids; the machine's by default. */
  readonly random?: (count: number) => Uint8Array;
  /**
   * `upgrade` (the default, for the service): migrates. `create`: creates a missing schema. `keep`: changes nothing.
   */
  readonly schema?: 'upgrade' | 'create' | 'keep';
}

/** Takes over the database, also on failure. It is checked and its schema is upgraded or verified before use. */
export async function openSqlAccountStore(
  database: SqlDatabase,
  { random = randomBytes, schema = 'upgrade' }: SqlAccountStoreOptions = {},
): Promise<AccountStore> {
  try {
    await database.check();
    const kysely = database.kysely as Kysely<unknown>;
    const isNew = schema === 'create' && !(await hasSchema(kysely));
    if (schema === 'upgrade' || isNew) await database.migrate();
    else await requireNewestSchema(kysely);
    await database.checkSchema();
    return accountStoreOn(await SqlStore.open(database, random));
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw database.troubleOf(error) ?? error;
  }
}

function accountStoreOn(store: SqlStore): AccountStore {
  return {
    people: sqlPeople(store),
    orders: sqlOrders(store),
    withdrawals: sqlWithdrawals(store),
    mails: sqlMails(store),
    status: sqlStatus(store),
    passkeys: sqlPasskeys(store),
    layouts: sqlLayouts(store),
    ...sqlKeys(store),
    ...sqlUsage(store),
    sweep: store.alone((now, auditKeptNs) => sweep(store, now, auditKeptNs)),
    audit: store.asks(readAudit),
    onChange: (listener) => store.onChange(listener),
    onWrittenElsewhere: (listener) => store.onWrittenElsewhere(listener),
    probe: () => store.probe(),
    onTrouble: (listener) => store.onTrouble(listener),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function sweep(
  store: SqlStore,
  now: EpochNs,
  auditKeptNs: bigint | undefined,
): Promise<void> {
  const before = auditKeptNs === undefined ? null : ((now - auditKeptNs) as EpochNs);
  for (const forget of FORGOTTEN) {
    await inSteps(store, (sql, limit) => forget(sql, now, limit));
  }
  await store.writes(doRecoveries)(now, SWEEP_STEP_ROWS);
  await tellUsage(store, now);
  if (before !== null) await inSteps(store, (sql, limit) => trimAudit(sql, before, limit));
}

async function tellUsage(store: SqlStore, now: EpochNs): Promise<void> {
  const some = store.changes(oweUsageMails);
  let after: string | null = '';
  while (after !== null) after = await some(now, after, SWEEP_STEP_ROWS);
}

/** Each step is its own transaction, so other calls run between two steps. */
async function inSteps(
  store: SqlStore,
  step: (sql: Sql, limit: number) => Promise<number>,
): Promise<void> {
  const some = store.changes(step);
  for (let steps = 0; steps < SWEEP_STEPS_MAX; steps += 1) {
    if ((await some(SWEEP_STEP_ROWS)) < SWEEP_STEP_ROWS) return;
  }
}
