/**
 * The account store of a serving process: it runs in its own thread, or on another machine. This is the caller's end,
 * where accounts share the store in round robin. Calls return as from the store itself; when the thread is gone, every
 * call rejects. Listeners receive a change made here before its call resolves. Tests and commands use
 * `openSqliteAccountStore(':memory:' or a path)` of sqlite-account-store.ts: the same store without a thread.
 */

import { Worker } from 'node:worker_threads';
import { type CallCounts, FairCalls } from '../../../platform/sharing/fair-calls.ts';
import { Thread } from '../../../platform/threads/thread.ts';
import type { LayoutsStore } from '../../layouts/layouts-store.ts';
import { RememberedUsage } from '../../limits/remembered-usage.ts';
import type { MailsStore } from '../../mails/mails-store.ts';
import type { OrdersStore } from '../../orders/orders-store.ts';
import type { WithdrawalsStore } from '../../orders/withdrawals-store.ts';
import type { PasskeysStore } from '../../people/passkeys-store.ts';
import type { PeopleStore } from '../../people/people-store.ts';
import type { StatusStore } from '../../status/status-store.ts';
import {
  type AccountChange,
  type AccountStore,
  AccountsTroubleError,
  AccountsUnavailableError,
} from '../account-store.ts';
import { AccountsBusyError } from './accounts-busy-error.ts';
import { type Waiting, waitingInPart, waitingOf } from './accounts-line.ts';
import type {
  AccountsNews,
  AccountsShape,
  AccountsWorkerData,
  PlainError,
  StoreMethod,
  StorePart,
} from './accounts-wire.ts';

/**
 * Calls sent at once: enough that the thread never waits for the next one, few enough that a newcomer has few before
 * it. The others queue here, in round robin of accounts.
 */
const CALLS_ON_WIRE_MAX = 16;
/** Queued calls of customers; one more is rejected, so a stuck disk cannot fill the memory. */
const CALLS_MAX = 20_000;
const ACCOUNT_CALLS_MAX = 1_024;
/** More than the endpoints admit of key look-ups, each of which has a new holder. */
const CALLS_KEPT_FOR_NEW = 10_000;
/** How long a closing thread may take to finish its calls. */
const CLOSE_WITHIN_MS = 5_000;

/** The database cannot be opened; the message gives the reason. */
export class AccountsRefusedError extends Error {}

/** The thread is gone, or the handle was disposed of. */
export class AccountsGoneError extends AccountsUnavailableError {}

export interface AccountsHandleOptions extends AccountsWorkerData {
  /** The thread died unexpectedly; called once. */
  readonly onFault: (error: Error) => void;
}

type Listeners<T> = Set<(told: T) => void>;

interface StorePlace {
  /** Calls a method of one of the store's parts; null: of the store itself. */
  call(part: StorePart | null, method: string, args: readonly unknown[]): Promise<unknown>;
  /** Calls in progress have this long to finish. */
  stop(withinMs: number): Promise<unknown>;
}

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export class AccountsHandle implements AccountStore {
  readonly people = this.#part<PeopleStore>('people');
  readonly orders = this.#part<OrdersStore>('orders');
  readonly withdrawals = this.#part<WithdrawalsStore>('withdrawals');
  readonly mails = this.#part<MailsStore>('mails');
  readonly status = this.#part<StatusStore>('status');
  readonly passkeys = this.#part<PasskeysStore>('passkeys');
  readonly layouts = this.#part<LayoutsStore>('layouts');

  readonly createAccount = this.#method('createAccount');
  readonly findAccount = this.#method('findAccount');
  readonly listAccounts = this.#method('listAccounts');
  readonly setGrants = this.#method('setGrants');
  readonly setSuspended = this.#method('setSuspended');
  readonly findKey = this.#method('findKey');
  readonly findKeyById = this.#method('findKeyById');
  readonly listKeys = this.#method('listKeys');
  readonly createKey = this.#method('createKey');
  readonly rotateKey = this.#method('rotateKey');
  readonly revokeKey = this.#method('revokeKey');
  readonly touchKeys = this.#method('touchKeys');
  readonly issueToken = this.#method('issueToken');
  readonly issueSessionToken = this.#method('issueSessionToken');
  readonly consumeToken = this.#method('consumeToken');
  readonly reserve = this.#charge('reserve');
  readonly settle = this.#charge('settle');
  readonly settleOnce = this.#charge('settleOnce');
  readonly findOnce = this.#method('findOnce');
  readonly voidReservation = this.#charge('voidReservation');
  readonly usageByKey = this.#method('usageByKey');
  readonly usageByNamedKey = this.#method('usageByNamedKey');
  readonly usageMonths = this.#method('usageMonths');
  readonly usageDays = this.#method('usageDays');
  readonly sweep = this.#charge('sweep');
  readonly audit = this.#method('audit');
  readonly probe = this.#method('probe');

  readonly #place: StorePlace;
  readonly #calls = new FairCalls({
    atOnce: CALLS_ON_WIRE_MAX,
    eachMax: ACCOUNT_CALLS_MAX,
    allMax: CALLS_MAX,
    keptForNew: CALLS_KEPT_FOR_NEW,
  });
  readonly #listeners: Listeners<AccountChange> = new Set();
  readonly #elsewhereListeners: Listeners<void> = new Set();
  readonly #troubleListeners: Listeners<AccountsTroubleError> = new Set();
  readonly #usage = new RememberedUsage();
  #isOpen = false;
  #closing: Promise<void> | null = null;

  private constructor(place: StorePlace) {
    this.#place = place;
  }

  /** Opens a file in a thread. Rejects with `AccountsRefusedError` when the database cannot be opened. */
  static async open({ onFault, path }: AccountsHandleOptions): Promise<AccountsHandle> {
    const worker = new Worker(new URL('./accounts-worker.ts', import.meta.url), {
      name: 'accounts',
      workerData: { path } satisfies AccountsWorkerData,
    });
    const gone = (cause: Error) => new AccountsGoneError('the accounts are gone', { cause });
    const handle: AccountsHandle = new AccountsHandle({
      call: (part, method, args) => thread.call('store', part, method, args),
      stop: (withinMs) => thread.stop(withinMs),
    });
    const thread = new Thread<AccountsShape>(worker, {
      name: 'its thread',
      hear: (news) => handle.#hear(news),
      errorOf: revived,
      goneError: gone,
      closedError: closed,
      onGone: (cause) => {
        if (handle.#isOpen && handle.#closing === null) onFault(gone(cause));
      },
    });
    try {
      await thread.call('open');
    } catch (error) {
      await thread[Symbol.asyncDispose]();
      if (error instanceof AccountsGoneError) throw error;
      throw new AccountsRefusedError((error as Error).message);
    }
    handle.#isOpen = true;
    return handle;
  }

  /** Takes over a store that waits for another machine and not for this one's disk. */
  static over(store: AccountStore): AccountsHandle {
    const handle = new AccountsHandle({
      call: async (part, method, args) => {
        const of = (part === null ? store : store[part]) as unknown as Methods;
        return await of[method]!(...args);
      },
      stop: () => Promise.resolve(store[Symbol.asyncDispose]()),
    });
    store.onChange((change) => handle.#tellChange(change));
    store.onWrittenElsewhere(() => handle.#tellElsewhere());
    store.onTrouble((trouble) => handle.#tellTrouble(trouble));
    handle.#isOpen = true;
    return handle;
  }

  /** Calls without a response yet, and rejections. */
  get calls(): CallCounts {
    return this.#calls;
  }

  /** Accounts with a cached usage report. */
  get reportsRemembered(): number {
    return this.#usage.size;
  }

  addUsage(...args: Parameters<AccountStore['addUsage']>): ReturnType<AccountStore['addUsage']> {
    return this.#usage.count(args[0], async () => await this.#ask('addUsage', args));
  }

  usageOf(...args: Parameters<AccountStore['usageOf']>): ReturnType<AccountStore['usageOf']> {
    return this.#usage.read(args[1], args[2], async () => await this.#ask('usageOf', args));
  }

  onChange(listener: (change: AccountChange) => void): Disposable {
    return listening(this.#listeners, listener);
  }

  onWrittenElsewhere(listener: () => void): Disposable {
    return listening(this.#elsewhereListeners, listener);
  }

  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable {
    return listening(this.#troubleListeners, listener);
  }

  /** Calls in progress complete, later ones reject. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #method<M extends StoreMethod>(method: M): AccountStore[M] {
    const ask = (...args: Parameters<AccountStore[M]>) => this.#ask(method, args);
    return ask as AccountStore[M];
  }

  /** A method that may change usage, so cached reports become invalid. */
  #charge<M extends StoreMethod>(method: M): AccountStore[M] {
    const ask = (...args: Parameters<AccountStore[M]>) =>
      this.#usage.change(async () => await this.#ask(method, args));
    return ask as AccountStore[M];
  }

  #ask<M extends StoreMethod>(
    method: M,
    args: Parameters<AccountStore[M]>,
  ): ReturnType<AccountStore[M]> {
    return this.#inTurn(waitingOf(method, args), null, method, args) as ReturnType<AccountStore[M]>;
  }

  /** The store's part of this name; each of its methods is called in the store. */
  #part<P extends object>(part: StorePart): P {
    const methods = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
    return new Proxy({} as P, {
      get: (_, method) => {
        if (typeof method !== 'string' || method === 'then') return undefined;
        return methods.getOrInsertComputed(
          method,
          () =>
            (...args) =>
              this.#inTurn(waitingInPart(args), part, method, args),
        );
      },
    });
  }

  #inTurn(
    waiting: Waiting | null,
    part: StorePart | null,
    method: string,
    args: readonly unknown[],
  ): Promise<unknown> {
    if (this.#closing !== null) return Promise.reject(closed());
    const call = () => this.#place.call(part, method, args);
    if (waiting === null) return this.#calls.runFirst(call);
    const busy = () => new AccountsBusyError('too many calls wait for the account database');
    return this.#calls.run(waiting.holder, call, waiting.row) ?? Promise.reject(busy());
  }

  #hear(news: AccountsNews): void {
    if (news.t === 'change') this.#tellChange(news.change);
    else if (news.t === 'written-elsewhere') this.#tellElsewhere();
    else {
      const trouble = revived(news.error);
      if (trouble instanceof AccountsTroubleError) this.#tellTrouble(trouble);
    }
  }

  #tellChange(change: AccountChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #tellElsewhere(): void {
    this.#usage.forget();
    for (const listener of this.#elsewhereListeners) listener();
  }

  #tellTrouble(trouble: AccountsTroubleError): void {
    // A store in trouble may not report what others write.
    this.#usage.forget();
    for (const listener of this.#troubleListeners) listener(trouble);
  }

  async #close(): Promise<void> {
    const until = performance.now() + CLOSE_WITHIN_MS;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLOSE_WITHIN_MS);
    await Promise.race([this.#calls.idle(), late.promise]);
    clearTimeout(timer);
    await this.#place.stop(Math.max(0, until - performance.now()));
  }
}

function closed(): Error {
  return new AccountsGoneError('the accounts are closed');
}

function listening<T>(listeners: Listeners<T>, listener: (told: T) => void): Disposable {
  const own = (told: T) => listener(told);
  listeners.add(own);
  return { [Symbol.dispose]: () => listeners.delete(own) };
}

function revived({ name, message, trouble }: PlainError): Error {
  if (trouble !== null) return new AccountsTroubleError(trouble, message);
  return Object.assign(new Error(message), { name });
}
