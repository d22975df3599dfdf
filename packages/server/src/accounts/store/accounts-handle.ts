/**
 * The account store of a process that serves: the store works in a thread of its own, and this is the
 * other threads' end of it. Calls are answered as by the store itself, accounts in turn; when the thread is
 * gone, every call rejects. A change made here is heard by the listeners before its call resolves.
 *
 *     await using accounts = await AccountsHandle.open({
 *       path: accountsPath(dataDirectory), // from sqlite-account-store.ts
 *       onFault: (error) => log.error(error), // once, when the thread dies unasked
 *     });
 *     const call = { now: clock.now(), actor: { kind: 'operator' } } as const;
 *     const account = await accounts.createAccount(call, { name: 'demo', grants: [] });
 *     clock.every(60_000, () => accounts.sweep(clock.now()));
 *
 * In tests and commands, `await openSqliteAccountStore(':memory:' or a path)` of sqlite-account-store.ts
 * gives the same store without a thread.
 */

import { Worker } from 'node:worker_threads';
import { FairLine, type LineCounts } from '../../platform/fair-line.ts';
import { RememberedUsage } from '../limits/remembered-usage.ts';
import {
  type AccountChange,
  type AccountStore,
  AccountsTroubleError,
  AccountsUnavailableError,
} from './account-store.ts';
import { AccountsBusyError } from './accounts-busy-error.ts';
import { type Waiting, waitingInPart, waitingOf } from './accounts-line.ts';
import type {
  AccountsWorkerData,
  FromAccounts,
  PlainError,
  StoreMethod,
  StorePart,
  ToAccounts,
} from './accounts-wire.ts';
import type { OrdersStore } from './orders-store.ts';
import type { PeopleStore } from './people-store.ts';
import type { WithdrawalsStore } from './withdrawals-store.ts';

/**
 * Calls on the wire: enough that the thread never waits for the next one, and few enough that somebody who
 * comes has little before him. The others wait here, and accounts take turns.
 */
const CALLS_ON_WIRE_MAX = 16;
/** Calls of customers that may wait; one more is refused, so that a stuck disk cannot fill the memory. */
const CALLS_MAX = 20_000;
const ACCOUNT_CALLS_MAX = 1_024;
/** More than there can be look-ups of keys at the doors, each of which is new. */
const CALLS_KEPT_FOR_NEW = 10_000;
/** How long the thread may take to finish what is under way when it is asked to end. */
const CLOSE_WITHIN_MS = 5_000;

/** The database cannot be opened; the message says why. */
export class AccountsRefusedError extends Error {}

/** The thread is gone, or the handle was disposed of. */
export class AccountsGoneError extends AccountsUnavailableError {}

export interface AccountsHandleOptions extends AccountsWorkerData {
  /** The thread has died without being asked; called once. */
  readonly onFault: (error: Error) => void;
}

interface Asking {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Args<M extends StoreMethod> = Parameters<AccountStore[M]>;
type Answer<M extends StoreMethod> = ReturnType<AccountStore[M]>;

export class AccountsHandle implements AccountStore {
  readonly people = this.#part<PeopleStore>('people');
  readonly orders = this.#part<OrdersStore>('orders');
  readonly withdrawals = this.#part<WithdrawalsStore>('withdrawals');
  readonly #worker: Worker;
  readonly #onFault: (error: Error) => void;
  readonly #opened = Promise.withResolvers<void>();
  readonly #exited: Promise<unknown>;
  readonly #line = new FairLine({
    atOnce: CALLS_ON_WIRE_MAX,
    eachMax: ACCOUNT_CALLS_MAX,
    allMax: CALLS_MAX,
    keptForNew: CALLS_KEPT_FOR_NEW,
  });
  /** Calls on the wire. */
  readonly #waiting = new Map<number, Asking>();
  readonly #listeners = new Set<(change: AccountChange) => void>();
  readonly #troubleListeners = new Set<(trouble: AccountsTroubleError) => void>();
  readonly #usage = new RememberedUsage();
  #calls = 0;
  #isOpen = false;
  #gone: AccountsGoneError | null = null;
  #closing: Promise<void> | null = null;

  private constructor({ onFault, path }: AccountsHandleOptions) {
    this.#onFault = onFault;
    this.#worker = new Worker(new URL('./accounts-worker.ts', import.meta.url), {
      name: 'accounts',
      workerData: { path } satisfies AccountsWorkerData,
    });
    // Not `once` of node:events, which would reject when the thread fails and nobody waits.
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.on('message', (message: FromAccounts) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`its thread ended with code ${code}`)));
  }

  /** Rejects with `AccountsRefusedError` when the database cannot be opened. */
  static async open(options: AccountsHandleOptions): Promise<AccountsHandle> {
    const handle = new AccountsHandle(options);
    await handle.#opened.promise;
    return handle;
  }

  /** Calls that are not answered yet, and refusals. */
  get calls(): LineCounts {
    return this.#line;
  }

  /** Accounts whose usage is known without asking. */
  get reportsRemembered(): number {
    return this.#usage.size;
  }

  createAccount(...args: Args<'createAccount'>): Answer<'createAccount'> {
    return this.#ask('createAccount', args);
  }

  findAccount(...args: Args<'findAccount'>): Answer<'findAccount'> {
    return this.#ask('findAccount', args);
  }

  listAccounts(...args: Args<'listAccounts'>): Answer<'listAccounts'> {
    return this.#ask('listAccounts', args);
  }

  setGrants(...args: Args<'setGrants'>): Answer<'setGrants'> {
    return this.#ask('setGrants', args);
  }

  setSuspended(...args: Args<'setSuspended'>): Answer<'setSuspended'> {
    return this.#ask('setSuspended', args);
  }

  findKey(...args: Args<'findKey'>): Answer<'findKey'> {
    return this.#ask('findKey', args);
  }

  findKeyById(...args: Args<'findKeyById'>): Answer<'findKeyById'> {
    return this.#ask('findKeyById', args);
  }

  listKeys(...args: Args<'listKeys'>): Answer<'listKeys'> {
    return this.#ask('listKeys', args);
  }

  createKey(...args: Args<'createKey'>): Answer<'createKey'> {
    return this.#ask('createKey', args);
  }

  rotateKey(...args: Args<'rotateKey'>): Answer<'rotateKey'> {
    return this.#ask('rotateKey', args);
  }

  revokeKey(...args: Args<'revokeKey'>): Answer<'revokeKey'> {
    return this.#ask('revokeKey', args);
  }

  touchKeys(...args: Args<'touchKeys'>): Answer<'touchKeys'> {
    return this.#ask('touchKeys', args);
  }

  issueToken(...args: Args<'issueToken'>): Answer<'issueToken'> {
    return this.#ask('issueToken', args);
  }

  issueSessionToken(...args: Args<'issueSessionToken'>): Answer<'issueSessionToken'> {
    return this.#ask('issueSessionToken', args);
  }

  consumeToken(...args: Args<'consumeToken'>): Answer<'consumeToken'> {
    return this.#ask('consumeToken', args);
  }

  reserve(...args: Args<'reserve'>): Answer<'reserve'> {
    return this.#usage.change(() => this.#ask('reserve', args));
  }

  settle(...args: Args<'settle'>): Answer<'settle'> {
    return this.#usage.change(() => this.#ask('settle', args));
  }

  settleOnce(...args: Args<'settleOnce'>): Answer<'settleOnce'> {
    return this.#usage.change(() => this.#ask('settleOnce', args));
  }

  findOnce(...args: Args<'findOnce'>): Answer<'findOnce'> {
    return this.#ask('findOnce', args);
  }

  voidReservation(...args: Args<'voidReservation'>): Answer<'voidReservation'> {
    return this.#usage.change(() => this.#ask('voidReservation', args));
  }

  addUsage(...args: Args<'addUsage'>): Answer<'addUsage'> {
    return this.#usage.change(() => this.#ask('addUsage', args));
  }

  usageOf(...args: Args<'usageOf'>): Answer<'usageOf'> {
    return this.#usage.read(...args, async () => await this.#ask('usageOf', args));
  }

  usageByKey(...args: Args<'usageByKey'>): Answer<'usageByKey'> {
    return this.#ask('usageByKey', args);
  }

  usageByNamedKey(...args: Args<'usageByNamedKey'>): Answer<'usageByNamedKey'> {
    return this.#ask('usageByNamedKey', args);
  }

  usageMonths(...args: Args<'usageMonths'>): Answer<'usageMonths'> {
    return this.#ask('usageMonths', args);
  }

  usageDays(...args: Args<'usageDays'>): Answer<'usageDays'> {
    return this.#ask('usageDays', args);
  }

  sweep(...args: Args<'sweep'>): Answer<'sweep'> {
    return this.#usage.change(() => this.#ask('sweep', args));
  }

  audit(...args: Args<'audit'>): Answer<'audit'> {
    return this.#ask('audit', args);
  }

  onChange(listener: (change: AccountChange) => void): Disposable {
    const own = (change: AccountChange) => listener(change);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  probe(...args: Args<'probe'>): Answer<'probe'> {
    return this.#ask('probe', args);
  }

  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable {
    const own = (trouble: AccountsTroubleError) => listener(trouble);
    this.#troubleListeners.add(own);
    return { [Symbol.dispose]: () => this.#troubleListeners.delete(own) };
  }

  /** Calls under way are answered, later ones reject. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #ask<M extends StoreMethod>(method: M, args: Args<M>): Answer<M> {
    return this.#inTurn(method, args) as Answer<M>;
  }

  #inTurn<M extends StoreMethod>(method: M, args: Args<M>): Promise<unknown> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    if (this.#closing !== null) {
      return Promise.reject(new AccountsGoneError('the accounts are closed'));
    }
    return this.#queued(waitingOf(method, args), () => this.#call(null, method, args));
  }

  /** The store's part of this name, each of whose methods is called in the thread. */
  #part<P extends object>(part: StorePart): P {
    const methods = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
    return new Proxy({} as P, {
      get: (_, method) => {
        if (typeof method !== 'string' || method === 'then') return undefined;
        let ask = methods.get(method);
        ask ??= (...args) => this.#askPart(part, method, args);
        methods.set(method, ask);
        return ask;
      },
    });
  }

  #askPart(part: StorePart, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    if (this.#closing !== null) {
      return Promise.reject(new AccountsGoneError('the accounts are closed'));
    }
    return this.#queued(waitingInPart(args), () => this.#call(part, method, args));
  }

  #queued(waiting: Waiting | null, call: () => Promise<unknown>): Promise<unknown> {
    if (waiting === null) return this.#line.runFirst(call);
    const busy = () => new AccountsBusyError('too many calls wait for the accounts');
    return this.#line.run(waiting.holder, call, waiting.row) ?? Promise.reject(busy());
  }

  #call(part: StorePart | null, method: string, args: readonly unknown[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#gone !== null) {
      reject(this.#gone);
      return promise;
    }
    this.#calls += 1;
    // Throws for what cannot cross to a thread, which is our own mistake: then nobody waits for it.
    this.#post({ t: 'call', id: this.#calls, part, method, args });
    this.#waiting.set(this.#calls, { resolve, reject });
    return promise;
  }

  #post(message: ToAccounts): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromAccounts): void {
    switch (message.t) {
      case 'opened':
        this.#isOpen = true;
        this.#opened.resolve();
        return;
      case 'refused':
        this.#opened.reject(new AccountsRefusedError(message.error.message));
        return;
      case 'result':
        this.#take(message.id)?.resolve(message.value);
        return;
      case 'failed':
        this.#take(message.id)?.reject(revived(message.error));
        return;
      case 'change':
        for (const listener of this.#listeners) listener(message.change);
        return;
      case 'trouble': {
        const trouble = revived(message.error);
        if (!(trouble instanceof AccountsTroubleError)) return;
        for (const listener of this.#troubleListeners) listener(trouble);
        return;
      }
      default:
        message satisfies never;
    }
  }

  #take(id: number): Asking | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    await Promise.race([this.#line.idle(), late]);
    if (this.#gone === null) this.#post({ t: 'close' });
    await Promise.race([this.#exited, late]);
    clearTimeout(timer);
    await this.#worker.terminate();
  }

  #end(cause: unknown): void {
    if (this.#gone !== null) return;
    this.#gone = new AccountsGoneError('the accounts are gone', { cause });
    this.#opened.reject(this.#gone);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
    if (this.#isOpen && this.#closing === null) this.#onFault(this.#gone);
  }
}

function revived({ name, message, trouble }: PlainError): Error {
  if (trouble !== null) return new AccountsTroubleError(trouble, message);
  return Object.assign(new Error(message), { name });
}
