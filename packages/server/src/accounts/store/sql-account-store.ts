/**
 * The account store over a SQL database: each method but `sweep` is one transaction, in which nothing is awaited but
 * its own statements. What the transaction told the audit log is announced after it is committed and
 * before the method resolves.
 */

import { randomBytes } from 'node:crypto';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type {
  AccountChange,
  AccountRecord,
  AccountStore,
  AccountsTroubleError,
  AuditEvent,
  AuditFilter,
  DayUsage,
  KeyRecord,
  KeyUsage,
  KeyWithAccount,
  MonthUsage,
  NamedKeyUsage,
  NewKey,
  PeriodUsage,
  Refused,
  RequestCount,
  Reservation,
  ReserveRequest,
  Rotation,
  SecretDigest,
  StoreCall,
} from './account-store.ts';
import { migrate } from './migrations/migrate.ts';
import type { Done, OnceRefused } from './once.ts';
import type { OrdersStore } from './orders-store.ts';
import type { PeopleStore } from './people-store.ts';
import * as accounts from './sql-accounts.ts';
import { newestSequence, readAudit, trimAudit, type Writing } from './sql-audit.ts';
import * as budgets from './sql-budgets.ts';
import { SqlChanges } from './sql-changes.ts';
import type { Sql, SqlDatabase } from './sql-database.ts';
import * as keys from './sql-keys.ts';
import * as requests from './sql-once.ts';
import { SqlOrders } from './sql-orders.ts';
import { FORGOTTEN_PEOPLE, SqlPeople } from './sql-people.ts';
import type { SqlStore } from './sql-store.ts';
import * as tokens from './sql-tokens.ts';
import * as usage from './sql-usage.ts';
import { SqlWithdrawals } from './sql-withdrawals.ts';
import type { WithdrawalsStore } from './withdrawals-store.ts';

/** 80 random bits: nobody meets another's id by chance or by trying. */
const ID_BYTES = 10;
/** Changes of other processes must be heard within a second. */
const LOOK_ELSEWHERE_MS = 200;
/** What housekeeping clears away in one transaction, and of one kind at a time: 50,000 rows a minute. */
const SWEEP_STEP_ROWS = 500;
const SWEEP_STEPS_MAX = 100;

export interface SqlAccountStoreOptions {
  /** Random bytes for ids; the machine's by default. */
  readonly random?: (count: number) => Uint8Array;
}

export class SqlAccountStore implements AccountStore {
  readonly people: PeopleStore;
  readonly orders: OrdersStore;
  readonly withdrawals: WithdrawalsStore;
  readonly #database: SqlDatabase;
  readonly #changes: SqlChanges;
  readonly #random: (count: number) => Uint8Array;
  readonly #timer: NodeJS.Timeout;
  readonly #troubleListeners = new Set<(trouble: AccountsTroubleError) => void>();
  #looking: Promise<void> | null = null;
  /** Others have written, and what they wrote could not be read yet. */
  #mustLook = false;

  private constructor(
    database: SqlDatabase,
    changes: SqlChanges,
    random: (count: number) => Uint8Array,
  ) {
    this.#database = database;
    this.#changes = changes;
    this.#random = random;
    const store: SqlStore = {
      read: (work) => this.#read(work),
      write: (work) => this.#write(work),
      newId: (kind) => this.#newId(kind),
    };
    this.people = new SqlPeople(store);
    this.orders = new SqlOrders(store);
    this.withdrawals = new SqlWithdrawals(store);
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_ELSEWHERE_MS).unref();
  }

  /**
   * Takes the database over, also when it is refused: it is looked through, and its schema brought up to
   * date, before it is used.
   */
  static async open(
    database: SqlDatabase,
    { random = randomBytes }: SqlAccountStoreOptions = {},
  ): Promise<SqlAccountStore> {
    try {
      database.check();
      await migrate(database.kysely as Kysely<unknown>, database.schema);
      await database.checkSchema();
      database.wasWrittenElsewhere();
      const newest = await newestSequence(database.kysely);
      return new SqlAccountStore(database, new SqlChanges(database.kysely, newest), random);
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw database.troubleOf(error) ?? error;
    }
  }

  createAccount(
    call: StoreCall,
    account: { readonly name: string; readonly grants: readonly Grant[] },
  ): Promise<AccountRecord | { readonly refused: 'name-taken' }> {
    const id = this.#newId('acc');
    return this.#write((writing) => accounts.createAccount(writing, call, id, account));
  }

  findAccount(idOrName: string): Promise<AccountRecord | null> {
    return this.#read((sql) => accounts.findAccount(sql, idOrName));
  }

  listAccounts(): Promise<readonly AccountRecord[]> {
    return this.#read((sql) => accounts.listAccounts(sql));
  }

  setGrants(
    call: StoreCall,
    accountId: string,
    grants: readonly Grant[],
  ): Promise<AccountRecord | null> {
    return this.#write((writing) => accounts.setGrants(writing, call, accountId, grants));
  }

  setSuspended(
    call: StoreCall,
    accountId: string,
    isSuspended: boolean,
  ): Promise<AccountRecord | null> {
    return this.#write((writing) => accounts.setSuspended(writing, call, accountId, isSuspended));
  }

  findKey(hash: string): Promise<KeyWithAccount | null> {
    return this.#read((sql) => keys.findKeyByHash(sql, hash));
  }

  findKeyById(accountId: string | null, keyId: string): Promise<KeyWithAccount | null> {
    return this.#read((sql) => tokens.findHolder(sql, accountId, keyId));
  }

  listKeys(now: EpochNs, accountId: string): Promise<readonly KeyRecord[]> {
    return this.#read((sql) => keys.listKeys(sql, now, accountId));
  }

  createKey(
    call: StoreCall,
    accountId: string,
    key: NewKey,
    secret: SecretDigest,
  ): Promise<KeyRecord | Refused | OnceRefused> {
    const newKey = { ...key, id: this.#newId('key') };
    return this.#write((writing) => keys.createKey(writing, call, accountId, newKey, secret));
  }

  rotateKey(
    call: StoreCall,
    accountId: string,
    keyId: string,
    graceSeconds: number,
    secret: SecretDigest,
  ): Promise<Rotation | Refused | OnceRefused> {
    const rotation = { keyId, newId: this.#newId('key'), graceSeconds, secret };
    return this.#write((writing) => keys.rotateKey(writing, call, accountId, rotation));
  }

  revokeKey(call: StoreCall, accountId: string, keyId: string): Promise<KeyRecord | Refused> {
    return this.#write((writing) => keys.revokeKey(writing, call, accountId, keyId));
  }

  touchKeys(lastUsed: ReadonlyMap<string, EpochNs>): Promise<void> {
    return this.#write(({ sql }) => keys.touchKeys(sql, lastUsed));
  }

  issueToken(now: EpochNs, token: tokens.NewToken): Promise<boolean> {
    return this.#write(({ sql }) => tokens.issueToken(sql, now, token));
  }

  issueSessionToken(
    now: EpochNs,
    _accountId: string,
    token: tokens.NewSessionToken,
  ): Promise<boolean> {
    return this.#write(({ sql }) => tokens.issueSessionToken(sql, now, token));
  }

  consumeToken(now: EpochNs, hash: string): Promise<KeyWithAccount | null> {
    return this.#write(({ sql }) => tokens.consumeToken(sql, now, hash));
  }

  reserve(now: EpochNs, request: ReserveRequest): Promise<Reservation> {
    const reserve = (sql: Sql) => budgets.reserve(sql, now, request);
    // A machine that dies voids it, as its expiry would; what is settled takes it along to the disk.
    if (request.isSynced === false) return this.#guard(() => this.#database.unsynced(reserve));
    return this.#write(({ sql }) => reserve(sql));
  }

  settle(now: EpochNs, id: string, used: budgets.Settlement): Promise<boolean> {
    return this.#write(({ sql }) => budgets.settle(sql, now, id, used));
  }

  settleOnce(
    now: EpochNs,
    id: string,
    used: budgets.Settlement,
    done: Done,
  ): Promise<OnceRefused | null> {
    return this.#write(async ({ sql }) => {
      await accounts.holdAccount(sql, done.accountId);
      const refused = await requests.judgeOnce(sql, now, done);
      if (refused !== null) return refused;
      await budgets.settle(sql, now, id, used);
      await requests.remember(sql, done);
      return null;
    });
  }

  findOnce(
    now: EpochNs,
    asked: Pick<Done, 'accountId' | 'keyId' | 'once'>,
  ): Promise<OnceRefused | null> {
    return this.#read((sql) => requests.judgeOnce(sql, now, asked));
  }

  voidReservation(_now: EpochNs, id: string): Promise<boolean> {
    return this.#write(({ sql }) => budgets.voidReservation(sql, id));
  }

  addUsage(counts: readonly RequestCount[]): Promise<void> {
    return this.#write(({ sql }) => budgets.addRestRequests(sql, counts));
  }

  usageOf(now: EpochNs, accountId: string, period: string): Promise<MonthUsage> {
    return this.#guard(() => budgets.usageOf(this.#database.kysely, now, accountId, period));
  }

  usageByKey(accountId: string, period: string): Promise<readonly KeyUsage[]> {
    return this.#guard(() => usage.usageByKey(this.#database.kysely, accountId, period));
  }

  usageByNamedKey(accountId: string, period: string): Promise<readonly NamedKeyUsage[]> {
    return this.#read((sql) => usage.usageByNamedKey(sql, accountId, period));
  }

  usageMonths(accountId: string, from: string): Promise<readonly PeriodUsage[]> {
    return this.#guard(() => usage.usageMonths(this.#database.kysely, accountId, from));
  }

  usageDays(accountId: string, period: string): Promise<readonly DayUsage[]> {
    return this.#guard(() => usage.usageDays(this.#database.kysely, accountId, period));
  }

  async sweep(now: EpochNs, auditKeptNs?: bigint): Promise<void> {
    const before = auditKeptNs === undefined ? null : ((now - auditKeptNs) as EpochNs);
    await this.#inSteps((sql, limit) => budgets.giveBackSome(sql, now, limit));
    await this.#inSteps((sql, limit) => budgets.forgetReservations(sql, now, limit));
    await this.#inSteps((sql, limit) => usage.forgetKeyUsage(sql, now, limit));
    await this.#inSteps((sql, limit) => usage.forgetDayUsage(sql, now, limit));
    for (const table of tokens.TOKEN_TABLES) {
      await this.#inSteps((sql, limit) => tokens.removeExpired(sql, table, now, limit));
    }
    await this.#inSteps((sql, limit) => requests.forgetDone(sql, now, limit));
    for (const forget of FORGOTTEN_PEOPLE) {
      await this.#inSteps((sql, limit) => forget(sql, now, limit));
    }
    if (before !== null) await this.#inSteps((sql, limit) => trimAudit(sql, before, limit));
  }

  audit(filter: AuditFilter): Promise<readonly AuditEvent[]> {
    return this.#guard(() => readAudit(this.#database.kysely, filter));
  }

  probe(): Promise<void> {
    return this.#guard(async () => {
      await this.#database.kysely.connection().execute(async () => {
        this.#database.write();
        this.#database.check();
      });
      await this.#lookElsewhere();
    });
  }

  onChange(listener: (change: AccountChange) => void): Disposable {
    return this.#changes.listen(listener);
  }

  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable {
    const own = (trouble: AccountsTroubleError) => listener(trouble);
    this.#troubleListeners.add(own);
    return { [Symbol.dispose]: () => this.#troubleListeners.delete(own) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking?.catch(() => {});
    await this.#database[Symbol.asyncDispose]();
  }

  #read<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const transaction = this.#database.kysely.transaction().setAccessMode('read only');
    return this.#guard(() => transaction.execute(work));
  }

  async #write<Result>(work: (writing: Writing) => Promise<Result>): Promise<Result> {
    const told: AuditEvent[] = [];
    const transaction = this.#database.kysely.transaction();
    const result = await this.#guard(() => transaction.execute((sql) => work({ sql, told })));
    this.#changes.madeHere(told);
    return result;
  }

  /** Each step is a transaction of its own, and others have their turn between two. */
  async #inSteps(step: (sql: Sql, limit: number) => Promise<number>): Promise<void> {
    for (let steps = 0; steps < SWEEP_STEPS_MAX; steps += 1) {
      const rows = await this.#write(({ sql }) => step(sql, SWEEP_STEP_ROWS));
      if (rows < SWEEP_STEP_ROWS) return;
    }
  }

  #newId(kind: string): string {
    return `${kind}_${Buffer.from(this.#random(ID_BYTES)).toString('hex')}`;
  }

  /** What is wrong with the database is told, and rejects as such. */
  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const trouble = this.#database.troubleOf(error);
      if (trouble === null) throw error;
      for (const listener of this.#troubleListeners) listener(trouble);
      throw trouble;
    }
  }

  #lookAgain(): void {
    this.#guard(() => this.#lookElsewhere()).catch((error: unknown) => {
      // Trouble was told, and the next look is soon. Anything else is our own fault.
      if (this.#database.troubleOf(error) === null) throw error;
    });
  }

  #lookElsewhere(): Promise<void> {
    const look = async () => {
      this.#mustLook = this.#database.wasWrittenElsewhere() || this.#mustLook;
      if (this.#mustLook) await this.#changes.lookElsewhere();
      else this.#changes.nothingElsewhere();
      this.#mustLook = false;
    };
    this.#looking ??= look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }
}
