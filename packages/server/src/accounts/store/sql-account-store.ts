/** The account store over a SQL database: each method but `sweep` is one transaction; see `SqlStore`. */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type { AccountStore } from './account-store.ts';
import { hasSchema, requireNewestSchema } from './migrations/migrate.ts';
import * as accounts from '../keys/sql-accounts.ts';
import { readAudit, trimAudit } from './sql-audit.ts';
import * as budgets from '../usage/sql-budgets.ts';
import type { Sql, SqlDatabase } from './sql-database.ts';
import * as keys from '../keys/sql-keys.ts';
import { sqlMails } from '../mails/sql-mails.ts';
import * as requests from './sql-once.ts';
import { sqlOrders } from '../orders/sql-orders.ts';
import { forgetChallenges } from '../people/sql-passkey-challenges.ts';
import { doRecoveries } from '../people/sql-passkey-recoveries.ts';
import { sqlPasskeys } from '../people/sql-passkeys-part.ts';
import { FORGOTTEN_PEOPLE, sqlPeople } from '../people/sql-people.ts';
import { forgetStatus, sqlStatus } from '../status/sql-status.ts';
import { SqlStore } from './sql-store.ts';
import * as tokens from '../keys/sql-tokens.ts';
import * as usage from '../usage/sql-usage.ts';
import { forgetUsageTold, oweUsageMails } from '../usage/sql-usage-mails.ts';
import { sqlWithdrawals } from '../orders/sql-withdrawals.ts';

/** What housekeeping clears away in one transaction, and of one kind at a time: 50,000 rows a minute. */
const SWEEP_STEP_ROWS = 500;
const SWEEP_STEPS_MAX = 100;

export interface SqlAccountStoreOptions {
  /** Random bytes for ids; the machine's by default. */
  readonly random?: (count: number) => Uint8Array;
  /**
   * What may be done to the schema. `upgrade`, the default: all that is due, for the service. `create`: it may be made
   * where there is none. `keep`: nothing.
   */
  readonly schema?: 'upgrade' | 'create' | 'keep';
}

/**
 * Takes the database over, also when it is refused: it is looked through, and its schema brought up to
 * date, before it is used.
 */
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
    ...accountsAndKeys(store),
    ...budgetsAndUsage(store),
    sweep: store.alone((now, auditKeptNs) => sweep(store, now, auditKeptNs)),
    audit: store.asks(readAudit),
    onChange: (listener) => store.onChange(listener),
    onWrittenElsewhere: (listener) => store.onWrittenElsewhere(listener),
    probe: () => store.probe(),
    onTrouble: (listener) => store.onTrouble(listener),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function accountsAndKeys(store: SqlStore) {
  return {
    createAccount: store.writes((writing, call, account) =>
      accounts.createAccount(writing, call, store.newId('acc'), account),
    ),
    findAccount: store.reads(accounts.findAccount),
    listAccounts: store.reads(accounts.listAccounts),
    setGrants: store.writes(accounts.setGrants),
    setSuspended: store.writes(accounts.setSuspended),
    findKey: store.reads(keys.findKeyByHash),
    findKeyById: store.reads(tokens.findHolder),
    listKeys: store.reads(keys.listKeys),
    createKey: store.writes((writing, call, accountId, key, secret) =>
      keys.createKey(writing, call, accountId, { ...key, id: store.newId('key') }, secret),
    ),
    rotateKey: store.writes((writing, call, accountId, keyId, graceSeconds, secret) => {
      const rotation = { keyId, newId: store.newId('key'), graceSeconds, secret };
      return keys.rotateKey(writing, call, accountId, rotation);
    }),
    revokeKey: store.writes(keys.revokeKey),
    touchKeys: store.calls((routines, lastUsed) => routines.touchKeys(lastUsed)),
    issueToken: store.changes(tokens.issueToken),
    issueSessionToken: store.changes((sql, now, _accountId, token) =>
      tokens.issueSessionToken(sql, now, token),
    ),
    consumeToken: store.changes(tokens.consumeToken),
  } satisfies Partial<AccountStore>;
}

function budgetsAndUsage(store: SqlStore) {
  return {
    reserve: store.calls((routines, now, request) => routines.reserve(now, request)),
    settle: store.calls((routines, now, id, used) => routines.settle(now, id, used)),
    settleOnce: store.changes(async (sql, now, id, used, done) => {
      await accounts.holdAccount(sql, done.accountId);
      const refused = await requests.judgeOnce(sql, now, done);
      if (refused !== null) return refused;
      await store.routines.settleWithin(sql, now, id, used);
      await requests.remember(sql, done);
      return null;
    }),
    findOnce: store.reads(requests.judgeOnce),
    voidReservation: store.calls((routines, _now, id) => routines.voidReservation(id)),
    addUsage: store.calls((routines, counts) => routines.addUsage(counts)),
    usageOf: store.asks(budgets.usageOf),
    usageByKey: store.asks(usage.usageByKey),
    usageByNamedKey: store.reads(usage.usageByNamedKey),
    usageMonths: store.asks(usage.usageMonths),
    usageDays: store.asks(usage.usageDays),
  } satisfies Partial<AccountStore>;
}

async function sweep(
  store: SqlStore,
  now: EpochNs,
  auditKeptNs: bigint | undefined,
): Promise<void> {
  const before = auditKeptNs === undefined ? null : ((now - auditKeptNs) as EpochNs);
  await inSteps(store, (sql, limit) => budgets.giveBackSome(sql, now, limit));
  await inSteps(store, (sql, limit) => budgets.forgetReservations(sql, now, limit));
  await inSteps(store, (sql, limit) => usage.forgetKeyUsage(sql, now, limit));
  await inSteps(store, (sql, limit) => usage.forgetDayUsage(sql, now, limit));
  for (const table of tokens.TOKEN_TABLES) {
    await inSteps(store, (sql, limit) => tokens.removeExpired(sql, table, now, limit));
  }
  await inSteps(store, (sql, limit) => requests.forgetDone(sql, now, limit));
  for (const forget of FORGOTTEN_PEOPLE) {
    await inSteps(store, (sql, limit) => forget(sql, now, limit));
  }
  await inSteps(store, (sql, limit) => forgetChallenges(sql, now, limit));
  await store.writes(doRecoveries)(now, SWEEP_STEP_ROWS);
  await inSteps(store, (sql, limit) => forgetUsageTold(sql, now, limit));
  await inSteps(store, (sql, limit) => forgetStatus(sql, now, limit));
  await tellUsage(store, now);
  if (before !== null) await inSteps(store, (sql, limit) => trimAudit(sql, before, limit));
}

async function tellUsage(store: SqlStore, now: EpochNs): Promise<void> {
  const some = store.changes(oweUsageMails);
  let after: string | null = '';
  while (after !== null) after = await some(now, after, SWEEP_STEP_ROWS);
}

/** Each step is a transaction of its own, and others have their turn between two. */
async function inSteps(
  store: SqlStore,
  step: (sql: Sql, limit: number) => Promise<number>,
): Promise<void> {
  const some = store.changes(step);
  for (let steps = 0; steps < SWEEP_STEPS_MAX; steps += 1) {
    if ((await some(SWEEP_STEP_ROWS)) < SWEEP_STEP_ROWS) return;
  }
}
