/**
 * The engines of this process. A lost engine is replaced by a new one in its slot, which computes the same from the
 * tape. Its topics have ended by then, and open again for returning subscribers. All engines know the newest sessions.
 */

import {
  type RestartPolicy,
  ThreadCrew,
  type ThreadCrewOptions,
} from '../platform/threads/thread-crew.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { EngineLink } from '../topics/engine-link.ts';

export const ENGINE_RESTARTS: RestartPolicy = {
  firstMs: 250,
  factor: 4,
  lastMs: 64_000,
  windowMs: 600_000,
  restartsMax: 5,
};
/** Topics are spread by contract, and a few contracts have most of them. */
const ENGINES_MAX = 4;

export interface CrewEngine extends EngineLink, AsyncDisposable {
  updateSessions(sessions: TradingSessions): void;
}

export interface EngineCrewOptions extends Omit<ThreadCrewOptions<CrewEngine>, 'policy' | 'start'> {
  readonly start: (
    index: number,
    sessions: TradingSessions,
    onGone: (cause: unknown) => void,
  ) => CrewEngine;
}

/** How many engines a machine runs: the main thread and the ingest need a core each. */
export function enginesFor(cores: number): number {
  return Math.max(1, Math.min(ENGINES_MAX, cores - 2));
}

export class EngineCrew implements AsyncDisposable {
  readonly #crew: ThreadCrew<CrewEngine>;
  #sessions: TradingSessions;

  constructor({ start, ...options }: EngineCrewOptions, sessions: TradingSessions) {
    this.#sessions = sessions;
    this.#crew = new ThreadCrew({
      ...options,
      policy: ENGINE_RESTARTS,
      start: (index, onGone) => start(index, this.#sessions, onGone),
    });
  }

  /** The engines that work now, by slot. */
  get links(): readonly EngineLink[] {
    return this.#crew.threads;
  }

  updateSessions(sessions: TradingSessions): void {
    this.#sessions = sessions;
    for (const engine of this.#crew.threads) engine.updateSessions(sessions);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#crew[Symbol.asyncDispose]();
  }
}
