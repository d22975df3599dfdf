/** The history of the service's state, read from the store at most once in half a minute. */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  STATUS_DAYS,
  STATUS_NOTED_EVERY_MS,
  type StatusHistory,
  statusHistory,
} from '@tapeloom/core/status/status-history';
import { DAY_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import type { StatusStore } from '../../accounts/status/status-store.ts';
import type { Clock } from '../../platform/clock.ts';

const KEPT_NS = BigInt(STATUS_NOTED_EVERY_MS) * MS_NS_BIG;

export class StatusPast {
  readonly #store: Pick<StatusStore, 'statusSpans'>;
  readonly #clock: Pick<Clock, 'now'>;
  #read: { readonly at: bigint; readonly history: Promise<StatusHistory> } | null = null;

  constructor(store: Pick<StatusStore, 'statusSpans'>, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects while the store is unavailable. */
  history(): Promise<StatusHistory> {
    const now = this.#clock.now();
    const age = this.#read === null ? KEPT_NS : now - this.#read.at;
    // A negative age: the clock was set back.
    if (this.#read === null || age < 0n || age >= KEPT_NS) {
      const history = this.#history(now);
      this.#read = { at: now, history };
      // The next request tries again.
      history.catch(() => {
        if (this.#read?.history === history) this.#read = null;
      });
    }
    return this.#read.history;
  }

  async #history(now: EpochNs): Promise<StatusHistory> {
    const after = (now - BigInt(STATUS_DAYS) * DAY_NS_BIG) as EpochNs;
    return statusHistory(await this.#store.statusSpans(after), now);
  }
}
