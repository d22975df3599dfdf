/**
 * Composes what the endpoints need of accounts: the store, in its thread or in PostgreSQL, authentication, leases,
 * allowances and usage, all by the machine's clock. On shutdown counted usage reaches the store before the store
 * closes, which closes last.
 * If the store's thread dies or its data is damaged, requests with a key fail at once and the service reports not
 * ready. The same holds while the disk is full or failing, or PostgreSQL is unreachable. Open connections stay.
 */

import { randomBytes } from 'node:crypto';
import { DAY_NS_BIG, MINUTE_MS } from '@tapeloom/core/units';
import { AddressThrottle } from '../../accounts/auth/address-throttle.ts';
import { AuthThrottle } from '../../accounts/auth/auth-throttle.ts';
import { CountedAuthenticator } from '../../accounts/auth/counted-authenticator.ts';
import { SessionKeeper } from '../../accounts/auth/session-keeper.ts';
import { StoreAuthenticator } from '../../accounts/auth/store-authenticator.ts';
import type { Allowances } from '../../accounts/limits/allowances.ts';
import { Charges } from '../../accounts/limits/charges.ts';
import type { Leases } from '../../accounts/limits/leases.ts';
import { MemoryAllowances } from '../../accounts/limits/memory-allowances.ts';
import { MemoryLeases } from '../../accounts/limits/memory-leases.ts';
import { UsageMeter } from '../../accounts/limits/usage-meter.ts';
import {
  type AccountStore,
  AccountsTroubleError,
  type StoreTrouble,
} from '../../accounts/store/account-store.ts';
import { AccountsHealth } from '../../accounts/store/accounts-health.ts';
import { accountsPath } from '../../accounts/store/sqlite/accounts-path.ts';
import { hasAccounts } from '../../accounts/store/sqlite/has-accounts.ts';
import {
  AccountsHandle,
  AccountsRefusedError,
} from '../../accounts/store/thread/accounts-handle.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { hasExportSecret } from '../../exports/export-secret.ts';
import { StartRefusedError } from '../../operations/start/start-refused-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { closeToOthers } from '../../platform/disk/private-file.ts';
import type { Log } from '../../platform/log/log.ts';
import type { CallCounts } from '../../platform/sharing/fair-calls.ts';
import { createClock } from '../../platform/system-clock.ts';
import { type FirstKeys, makeDemoAccount } from './demo-account.ts';
import { replayLink } from './replay-link.ts';

/** How often expired entries (tokens, reservations, old audit events) are deleted. */
const SWEEP_EVERY_MS = MINUTE_MS;
const TROUBLES: Readonly<Record<StoreTrouble, string>> = {
  damaged: 'the accounts are damaged',
  full: 'the disk of the accounts is full',
  failing: 'the disk of the accounts reports errors',
  unreachable: 'the accounts cannot be reached',
  busy: 'the accounts are busy',
};
const LOST = 'the accounts have stopped';
/** For a store without a thread. */
const NO_CALLS: CallCounts = { count: 0, refusedTotal: 0 };

/** Does the work, or leaves it to the node that holds the lock. */
export type InTurn = (work: () => Promise<unknown>) => Promise<unknown>;

/** What several nodes count together, and the lock for work that one of them does. */
export interface SharedCounts {
  readonly leases: Leases;
  readonly allowances: Allowances;
  readonly inTurn: InTurn;
}

export interface AccountServicesOptions {
  readonly data: string;
  readonly log: Log;
  /** The accounts' clock; default: the machine's. */
  readonly clock?: Clock;
  /** The cluster whose PostgreSQL holds the accounts; null: they are in the data directory. */
  readonly cluster?: Pick<ClusterConfig, 'node' | 'postgres'> | null;
  readonly store?: AccountStore;
  /** How many days an event stays in the audit log; omitted: forever. */
  readonly auditDays?: number;
  /** Counters shared with other nodes; omitted for a single process. */
  readonly shared?: SharedCounts;
  /** Called when opening no longer needs a free main thread. */
  readonly onBegun?: () => void;
}

export class AccountServices implements AsyncDisposable {
  readonly clock: Clock;
  readonly store: AccountStore;
  readonly authenticator: CountedAuthenticator;
  readonly meter: UsageMeter;
  readonly charges: Charges;
  readonly leases: Leases;
  readonly allowances: Allowances;
  readonly inTurn: InTurn;
  readonly addresses = new AddressThrottle();
  readonly authThrottle: AuthThrottle;
  readonly sessions: SessionKeeper;
  readonly #known: StoreAuthenticator;
  readonly #resources: AsyncDisposableStack;
  readonly #log: Log;
  #notReady: string | null = null;
  #isLost = false;

  private constructor(store: AccountStore, clock: Clock, options: AccountServicesOptions) {
    const { log, auditDays, shared } = options;
    this.leases = shared?.leases ?? new MemoryLeases();
    this.allowances = shared?.allowances ?? new MemoryAllowances();
    this.inTurn = shared?.inTurn ?? ((work) => work());
    const resources = new AsyncDisposableStack();
    const onFault = (error: unknown) => {
      // Logged when the trouble began; later failures are consequences of it.
      if (this.#notReady !== null && error instanceof AccountsTroubleError) return;
      log.error({ error }, 'the account database did not respond');
    };
    this.clock = clock;
    this.#log = log;
    this.store = resources.use(store);
    this.charges = new Charges(store, clock);
    this.meter = resources.use(new UsageMeter({ store, clock, onFault }));
    this.#known = resources.use(new StoreAuthenticator({ store, clock, onFault }));
    this.authenticator = new CountedAuthenticator(this.#known);
    this.sessions = resources.use(new SessionKeeper({ store, clock, onFault }));
    const { authenticator, addresses } = this;
    this.authThrottle = new AuthThrottle({ authenticator, addresses, clock });
    const onChange = (trouble: AccountsTroubleError | null) => this.#changed(trouble);
    resources.use(new AccountsHealth({ store, clock, onChange }));
    const auditKeptNs = auditDays === undefined ? undefined : BigInt(auditDays) * DAY_NS_BIG;
    const sweep = () => this.inTurn(() => store.sweep(clock.now(), auditKeptNs)).catch(onFault);
    resources.use(clock.every(SWEEP_EVERY_MS, sweep));
    this.#resources = resources;
  }

  static async open(options: AccountServicesOptions): Promise<AccountServices> {
    const { clock = createClock({ kind: 'system' }) } = options;
    const lost = Promise.withResolvers<Error>();
    const store = options.store ?? (await openStore({ ...options, clock }, lost.resolve));
    const services = new AccountServices(store, clock, options);
    void lost.promise.then((error) => services.#lost(error));
    return services;
  }

  /** Why no caller can be authenticated now; null if that works. */
  get notReadyBecause(): string | null {
    return this.#notReady;
  }

  /** Keys that are authenticated without a disk access. */
  get keysRemembered(): number {
    return this.#known.size;
  }

  get keysWatched(): number {
    return this.#known.watchedCount;
  }

  /** Calls in the queue of the store's thread, or in progress. */
  get storeCalls(): CallCounts {
    return this.store instanceof AccountsHandle ? this.store.calls : NO_CALLS;
  }

  get usageReportsRemembered(): number {
    return this.store instanceof AccountsHandle ? this.store.reportsRemembered : 0;
  }

  /** Creates the first account if there is none; its keys are returned this once. */
  firstKeys(): Promise<FirstKeys> {
    return makeDemoAccount(this.store, this.clock.now(), randomBytes);
  }

  replayLink(origin: string): Promise<string | null> {
    return replayLink(this.store, this.clock.now(), origin, randomBytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  #lost(error: Error): void {
    this.#isLost = true;
    this.#log.fatal(
      { error },
      'the account database is gone: no key or session can be verified any more',
    );
    this.#refuse(LOST, error);
  }

  #changed(error: AccountsTroubleError | null): void {
    if (this.#isLost) return;
    if (error === null) {
      this.#log.warn('the account database is available again');
      this.#refuse(null, null);
      return;
    }
    const what = TROUBLES[error.trouble];
    if (error.trouble === 'damaged') {
      this.#log.fatal({ error }, `${what}: no key or session can be verified any more`);
    } else {
      this.#log.error({ error }, `${what}: no key or session can be verified until that is over`);
    }
    this.#refuse(what, error);
  }

  #refuse(why: string | null, cause: Error | null): void {
    this.#notReady = why;
    this.authenticator.refuseAll(cause);
  }
}

async function openStore(
  { data, log, cluster = null, clock, onBegun }: AccountServicesOptions & { readonly clock: Clock },
  onFault: (error: Error) => void,
): Promise<AccountStore> {
  const path = accountsPath(data);
  if (cluster === null) refuseLostAccounts(data);
  try {
    if (cluster === null) await closeFiles(path, log);
    const opening =
      cluster === null
        ? AccountsHandle.open({ path, onFault })
        : openSharedStore(cluster, { clock, log });
    // A thread opens the store even if this one is busy; responses of PostgreSQL have to be processed in this thread.
    if (cluster === null) onBegun?.();
    const store = await opening;
    onBegun?.();
    return store;
  } catch (error) {
    const isOperators = error instanceof AccountsRefusedError || isFileError(error);
    if (!isOperators) throw error;
    const place = cluster === null ? path : 'PostgreSQL';
    throw new StartRefusedError(`the accounts in ${place} cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}

/**
 * The export secret is created after the accounts are open, so its presence proves that accounts existed. If they were
 * created again, no caller could be authenticated, and there would be no hint why.
 */
function refuseLostAccounts(data: string): void {
  if (!hasExportSecret(data) || hasAccounts(data)) return;
  throw new StartRefusedError(
    `the accounts of ${data} are missing: ${accountsPath(data)} does not exist or is empty, although a service has run on this ` +
      'directory. Remove the file if it exists, and restore a backup (tapeloom restore <folder> --only accounts). To start without them, create new ones ' +
      'with tapeloom account create <name>: keys, orders and the audit log of before are lost then',
  );
}

/** PostgreSQL is on another machine: no thread is needed. */
async function openSharedStore(
  { node, postgres }: Pick<ClusterConfig, 'node' | 'postgres'>,
  place: { readonly clock: Clock; readonly log: Log },
): Promise<AccountStore> {
  const { reachedAtStart } = await import('../cluster/reached-at-start.ts');
  const { openPostgresAccountStore } = await import(
    '../../accounts/store/postgres/postgres-account-store.ts'
  );
  const name = `tapeloom accounts of ${node}`;
  try {
    const open = () => openPostgresAccountStore({ ...postgres, name });
    return AccountsHandle.over(await reachedAtStart(place, open));
  } catch (error) {
    throw new AccountsRefusedError((error as Error).message, { cause: error });
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The database and its side files, whichever process created them. */
async function closeFiles(path: string, log: Log): Promise<void> {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const exposure = await closeToOthers(file);
    if (exposure === 'read' || exposure === 'write') {
      log.warn(`other users could ${exposure} ${file}: its permissions are now restricted`);
    }
  }
}
