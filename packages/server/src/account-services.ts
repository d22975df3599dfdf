/**
 * What the doors ask about customers, composed: the store in its thread, who is calling, what they have
 * open, what they may still request, and what they used. Everything here goes by the machine's clock.
 * At the end counted usage reaches the store before the store closes, and the store closes last.
 *
 * When the store's thread dies nobody can be recognised any more: requests with a key fail at once, and
 * the service says that it is not ready. Who is connected stays.
 */

import { randomBytes } from 'node:crypto';
import { AccountsHandle, AccountsRefusedError } from './accounts/accounts-handle.ts';
import { AddressThrottle } from './accounts/address-throttle.ts';
import { CountedAuthenticator } from './accounts/counted-authenticator.ts';
import { MemoryAllowances } from './accounts/memory-allowances.ts';
import { MemoryLeases } from './accounts/memory-leases.ts';
import { accountsPath } from './accounts/sqlite-account-store.ts';
import { StoreAuthenticator } from './accounts/store-authenticator.ts';
import { UsageMeter } from './accounts/usage-meter.ts';
import { type FirstKeys, makeDemoAccount } from './demo-account.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import { createClock } from './platform/system-clock.ts';
import { StartRefusedError } from './start-refused-error.ts';

/** How often what has ended (tokens, reservations) is cleared away. */
const SWEEP_EVERY_MS = 60_000;

export interface AccountServicesOptions {
  /** The data directory. */
  readonly data: string;
  readonly log: Log;
  /** The store's thread has died. */
  readonly onLost: () => void;
}

export class AccountServices implements AsyncDisposable {
  readonly clock: Clock;
  readonly store: AccountsHandle;
  readonly authenticator: CountedAuthenticator;
  readonly meter: UsageMeter;
  readonly leases = new MemoryLeases();
  readonly allowances = new MemoryAllowances();
  readonly addresses = new AddressThrottle();
  readonly #known: StoreAuthenticator;
  readonly #resources: AsyncDisposableStack;

  private constructor(store: AccountsHandle, log: Log) {
    const clock = createClock({ kind: 'system' });
    const resources = new AsyncDisposableStack();
    const onFault = (error: unknown) => log.error({ error }, 'the accounts could not be asked');
    this.clock = clock;
    this.store = resources.use(store);
    this.meter = resources.use(new UsageMeter({ store, clock, onFault }));
    this.#known = resources.use(new StoreAuthenticator({ store, clock, onFault }));
    this.authenticator = new CountedAuthenticator(this.#known);
    resources.use(clock.every(SWEEP_EVERY_MS, () => store.sweep(clock.now()).catch(onFault)));
    this.#resources = resources;
  }

  static async open({ data, log, onLost }: AccountServicesOptions): Promise<AccountServices> {
    const path = accountsPath(data);
    const lost = Promise.withResolvers<Error>();
    try {
      const services = new AccountServices(
        await AccountsHandle.open({ path, onFault: lost.resolve }),
        log,
      );
      void lost.promise.then((error) => {
        log.fatal({ error }, 'the accounts are gone; nobody can be recognised any more');
        services.authenticator.refuseAll(error);
        onLost();
      });
      return services;
    } catch (error) {
      if (!(error instanceof AccountsRefusedError)) throw error;
      throw new StartRefusedError(`the accounts in ${path} cannot be used: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** Keys that are recognised without a look at the disk. */
  get keysRemembered(): number {
    return this.#known.size;
  }

  /** Makes the account to begin with, if there is none; its keys are told this once. */
  firstKeys(): Promise<FirstKeys> {
    return makeDemoAccount(this.store, this.clock.now(), randomBytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
