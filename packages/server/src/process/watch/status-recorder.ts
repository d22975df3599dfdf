/**
 * Records the service's state as this node sees it every half minute, for the history on the status page. A killed
 * process loses half a minute of it. While the accounts are unreachable nothing can be recorded; that gap is recorded
 * when they are back.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type NotedState,
  STATUS_GAP_NS,
  STATUS_NOTED_EVERY_MS,
} from '@tapeloom/core/status/status-history';
import type { StatusStore } from '../../accounts/status/status-store.ts';
import { AccountsUnavailableError } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';

export interface StatusRecorderOptions {
  readonly store: Pick<StatusStore, 'noteStatus'>;
  readonly clock: Clock;
  /** Empty for a single process. */
  readonly node: string;
  readonly state: () => NotedState;
  readonly onFault: (error: unknown) => void;
}

export class StatusRecorder implements AsyncDisposable {
  readonly #options: StatusRecorderOptions;
  readonly #timer: Disposable;
  #noting: Promise<void> | null = null;
  #failedSince: EpochNs | null = null;

  constructor(options: StatusRecorderOptions) {
    this.#options = options;
    this.#timer = options.clock.every(STATUS_NOTED_EVERY_MS, () => void this.note());
    void this.note();
  }

  /** Resolves when the state is recorded, or could not be. */
  note(): Promise<void> {
    this.#noting ??= this.#note().finally(() => {
      this.#noting = null;
    });
    return this.#noting;
  }

  /** Records the last moment too. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    await this.#noting;
    await this.note();
  }

  async #note(): Promise<void> {
    const { store, clock, node, state, onFault } = this.#options;
    const now = clock.now();
    try {
      const since = this.#failedSince;
      // Readers bridge a shorter gap themselves.
      if (since !== null && now - since > STATUS_GAP_NS) {
        await store.noteStatus({ node, from: since, until: now, state: 'accounts' });
      }
      await store.noteStatus({ node, from: now, until: now, state: state() });
      this.#failedSince = null;
    } catch (error) {
      this.#failedSince ??= now;
      if (!(error instanceof AccountsUnavailableError)) onFault(error);
    }
  }
}
