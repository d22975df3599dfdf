/**
 * Deletes accounts that are due. External obligations end first: until the account's payments are cancelled at their
 * provider, the account stays, and is retried a minute later. The transaction of the deletion also queues the owner's
 * last mail.
 */

import { MINUTE_MS } from '@tapeloom/core/units';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { InTurn } from './account-services.ts';

const LOOK_EVERY_MS = MINUTE_MS;

export interface DueDeletionsOptions {
  readonly store: Pick<AccountStore, 'people'>;
  readonly clock: Clock;
  /** Ends external obligations of the account; rejects if that failed. May be called again. */
  readonly beforeDeletion: (accountId: string) => Promise<void>;
  /** Does the work, or leaves it to the node that holds the lock. */
  readonly inTurn: InTurn;
  /** Called with an account that stays for now. */
  readonly onFault: (error: unknown, accountId: string | null) => void;
}

export class DueDeletions implements AsyncDisposable {
  readonly #options: DueDeletionsOptions;
  readonly #timer: Disposable;
  #running: Promise<void> | null = null;

  constructor(options: DueDeletionsOptions) {
    this.#options = options;
    const { clock, inTurn, onFault } = options;
    const look = () => inTurn(() => this.look()).catch((error: unknown) => onFault(error, null));
    this.#timer = clock.every(LOOK_EVERY_MS, () => void look());
  }

  /** Deletes due accounts; resolves when that is over. */
  look(): Promise<void> {
    this.#running ??= this.#deleteDue().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    await this.#running;
  }

  async #deleteDue(): Promise<void> {
    const { store, clock, onFault } = this.#options;
    try {
      for (const accountId of await store.people.deletionsDue(clock.now())) {
        await this.#delete(accountId).catch((error: unknown) => onFault(error, accountId));
      }
    } catch (error) {
      onFault(error, null);
    }
  }

  async #delete(accountId: string): Promise<void> {
    const { store, clock, beforeDeletion } = this.#options;
    await beforeDeletion(accountId);
    await store.people.deleteAccount({ now: clock.now(), actor: { kind: 'owner' } }, accountId);
  }
}
