/**
 * Whether a customer would be served: why not, or null. What lasts counts at once. What mostly is over in a
 * moment, as an engine that is replaced, counts once it has been there for a second, so that nobody is sent
 * elsewhere and back for it.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';

const LOOK_EVERY_MS = 250;
const COUNTS_AFTER_NS = SECOND_NS_BIG;

/** How many run. */
export interface ServingThreads {
  readonly engines: number;
  readonly compute: number;
}

export interface ReadinessFacts {
  /** What is gone for good. */
  readonly lost: string | null;
  /** What is wrong with the accounts. */
  readonly accounts: string | null;
  /** What keeps the service from serving on its way up or down. */
  readonly phase: string | null;
  /** Whether no trades are taken in at present. */
  readonly isPaused: boolean;
  /** Whether the tape is one that other nodes have too. */
  readonly isShared?: boolean;
  /** Why this node of a cluster takes nobody new: its clock, or the register of nodes. */
  readonly takesNobody?: string | null;
  /** Null until they are begun. */
  readonly threads: ServingThreads | null;
}

export interface ReadinessOptions {
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly facts: () => ReadinessFacts;
}

export class Readiness implements Disposable {
  readonly #options: ReadinessOptions;
  readonly #timer: Disposable;
  /** Since when something that may pass is missing; null while nothing is. */
  #missingSince: bigint | null = null;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    this.#timer = options.clock.every(LOOK_EVERY_MS, () => void this.reason);
  }

  get reason(): string | null {
    const facts = this.#options.facts();
    const passing = this.#lasted(passingReason(facts));
    return facts.lost ?? facts.accounts ?? facts.phase ?? passing;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #lasted(reason: string | null): string | null {
    if (reason === null) {
      this.#missingSince = null;
      return null;
    }
    const now: bigint = this.#options.clock.now();
    this.#missingSince ??= now;
    return now - this.#missingSince >= COUNTS_AFTER_NS ? reason : null;
  }
}

function passingReason(facts: ReadinessFacts): string | null {
  const { isPaused, isShared, takesNobody, threads } = facts;
  if (isPaused && isShared) return 'the shared tape cannot be reached, or accepts no more records';
  if (isPaused) return 'no trades are ingested until the machine can open the next day';
  if (takesNobody != null) return takesNobody;
  if (threads?.engines === 0) return 'no engine runs';
  return threads?.compute === 0 ? 'no thread for history runs' : null;
}
