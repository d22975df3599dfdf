/**
 * Whether the account store is reliable, judged from its calls. A damaged one stays unusable until the process
 * restarts. In other trouble it is probed until it can be written, and checked before it counts as reliable again.
 */

import type { Clock } from '../../platform/clock.ts';
import type { AccountStore, AccountsTroubleError } from './account-store.ts';

/** At least the retry time that customers are given. */
const PROBE_EVERY_MS = 5_000;

export interface AccountsHealthOptions {
  readonly store: Pick<AccountStore, 'probe' | 'onTrouble'>;
  readonly clock: Pick<Clock, 'every'>;
  /** Called when trouble begins, changes, or ends (null). */
  readonly onChange: (trouble: AccountsTroubleError | null) => void;
}

export class AccountsHealth implements Disposable {
  readonly #options: AccountsHealthOptions;
  readonly #resources = new DisposableStack();
  #trouble: AccountsTroubleError | null = null;
  #isProbing = false;

  constructor(options: AccountsHealthOptions) {
    this.#options = options;
    this.#resources.use(options.store.onTrouble((trouble) => this.#note(trouble)));
    this.#resources.use(options.clock.every(PROBE_EVERY_MS, () => void this.#probe()));
  }

  get trouble(): AccountsTroubleError | null {
    return this.#trouble;
  }

  [Symbol.dispose](): void {
    this.#resources.dispose();
  }

  #note(found: AccountsTroubleError): void {
    const known = this.#trouble?.trouble;
    if (found.trouble === 'busy' || found.trouble === known || known === 'damaged') return;
    this.#trouble = found;
    this.#options.onChange(found);
  }

  /** Damage that another call met during the probe remains. */
  #recover(): void {
    if (this.#trouble?.trouble === 'damaged') return;
    this.#trouble = null;
    this.#options.onChange(null);
  }

  /** Trouble during a probe is reported through `onTrouble`, like any other. */
  async #probe(): Promise<void> {
    if (this.#trouble === null || this.#trouble.trouble === 'damaged' || this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#options.store.probe();
      this.#recover();
    } catch {
      // The trouble remains; the next probe follows.
    } finally {
      this.#isProbing = false;
    }
  }
}
