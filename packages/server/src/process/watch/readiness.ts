/**
 * Why a client would not be served, or null. Lasting faults count at once. Faults that usually pass in a moment, such
 * as an engine being replaced, count after a second, so that no load balancer moves clients away and back.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';

const LOOK_EVERY_MS = 250;
const COUNTS_AFTER_NS = SECOND_NS_BIG;

export interface ServingThreads {
  readonly engines: number;
  readonly compute: number;
}

export interface ReadinessFacts {
  readonly lost: string | null;
  readonly accounts: string | null;
  /** Why the service does not serve while it starts or stops. */
  readonly phase: string | null;
  readonly isPaused: boolean;
  readonly isShared?: boolean;
  /** Why this node of a cluster accepts no new clients: its clock, or the register of nodes. */
  readonly takesNobody?: string | null;
  /** Null until they are started. */
  readonly threads: ServingThreads | null;
}

export interface ReadinessOptions {
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly facts: () => ReadinessFacts;
}

export class Readiness implements Disposable {
  readonly #options: ReadinessOptions;
  readonly #timer: Disposable;
  /** When a passing fault began; null without one. */
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
