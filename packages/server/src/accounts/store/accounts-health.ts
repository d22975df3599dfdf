/**
 * Whether the account store can be relied on, from what its calls meet. A damaged one stays unusable until
 * the process is started again; one without room, or whose disk refuses, is tried until it can be written,
 * and is looked through before anybody relies on it again.
 */

import type { Clock } from '../../platform/clock.ts';
import type { AccountStore, AccountsTroubleError } from './account-store.ts';

/** No sooner than customers were told to try again. */
const PROBE_EVERY_MS = 5_000;

export interface AccountsHealthOptions {
  readonly store: Pick<AccountStore, 'probe' | 'onTrouble'>;
  readonly clock: Pick<Clock, 'every'>;
  /** Called when the trouble begins, is another, or ends (null). */
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

  /** Damage that another call met during the probe stays. */
  #recover(): void {
    if (this.#trouble?.trouble === 'damaged') return;
    this.#trouble = null;
    this.#options.onChange(null);
  }

  /** What is met by a probe is told as any other trouble. */
  async #probe(): Promise<void> {
    if (this.#trouble === null || this.#trouble.trouble === 'damaged' || this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#options.store.probe();
      this.#recover();
    } catch {
      // It goes on; the next probe follows.
    } finally {
      this.#isProbing = false;
    }
  }
}
