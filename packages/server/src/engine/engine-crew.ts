/**
 * The engines of this process. One that ends without being asked is followed, after a while, by a new one
 * in its place, which computes the same from the tape; its topics have been told by then, and come back
 * as their subscribers do. A place whose engines end again and again stays empty: whatever is wrong would
 * take the processor from the others. One that the machine could not begin is tried until it can, and no
 * place is given up for it. Every engine that serves knows the newest sessions.
 */

import type { Clock } from '../platform/clock.ts';
import { isPassingThreadFault } from '../platform/passing-fault.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { EngineLink } from '../topics/engine-link.ts';

/** Losses of one place within the window that are made good; one more and it is given up. */
export const RESTARTS_MAX = 5;
export const RESTARTS_WINDOW_MS = 600_000;
/** Before the first new engine; each further one in the window waits four times as long. */
const RESTART_MS = 250;
const WAIT_FACTOR = 4;
/** Before the next try when the machine had no files or no memory for one. */
const NOT_BEGUN_MS = 2_000;
/** Topics are spread by contract, and a few contracts have most of them. */
const ENGINES_MAX = 4;

export interface CrewEngine extends EngineLink, AsyncDisposable {
  updateSessions(sessions: TradingSessions): void;
}

export interface EngineCrewOptions {
  readonly count: number;
  /** Starts an engine; `onGone` is called once when it has ended without being asked to. */
  readonly start: (
    index: number,
    sessions: TradingSessions,
    onGone: (cause: unknown) => void,
  ) => CrewEngine;
  readonly timers: Clock;
  /** An engine took the place of one that was lost. */
  readonly onReplaced: (index: number, engine: EngineLink) => void;
  readonly onGone: (index: number, cause: unknown, isGivenUp: boolean) => void;
}

interface Place {
  readonly index: number;
  engine: CrewEngine | null;
  starting: Disposable | null;
  /** When its engines ended, on the timers' clock, as far as the window reaches. */
  losses: bigint[];
}

/** How many engines a machine takes: the main thread and the ingest want a core each. */
export function enginesFor(cores: number): number {
  return Math.max(1, Math.min(ENGINES_MAX, cores - 2));
}

export class EngineCrew implements AsyncDisposable {
  readonly #options: EngineCrewOptions;
  readonly #places: readonly Place[];
  #sessions: TradingSessions;
  #restartsTotal = 0;

  constructor(options: EngineCrewOptions, sessions: TradingSessions) {
    this.#options = options;
    this.#sessions = sessions;
    this.#places = Array.from({ length: options.count }, (_, index) => {
      return { index, engine: null, starting: null, losses: [] };
    });
    for (const place of this.#places) this.#start(place);
  }

  /** The engines that work now, by their places. */
  get links(): readonly EngineLink[] {
    return this.#places.flatMap(({ engine }) => (engine === null ? [] : [engine]));
  }

  get restartsTotal(): number {
    return this.#restartsTotal;
  }

  updateSessions(sessions: TradingSessions): void {
    this.#sessions = sessions;
    for (const { engine } of this.#places) engine?.updateSessions(sessions);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const engines = this.#places.map((place) => {
      place.starting?.[Symbol.dispose]();
      const { engine } = place;
      place.engine = null;
      return engine;
    });
    await Promise.all(engines.map((engine) => engine?.[Symbol.asyncDispose]()));
  }

  #start(place: Place): CrewEngine {
    place.starting = null;
    const engine = this.#options.start(place.index, this.#sessions, (cause) => {
      if (place.engine === engine) this.#lose(place, cause);
    });
    place.engine = engine;
    return engine;
  }

  #lose(place: Place, cause: unknown): void {
    place.engine = null;
    const waitMs = isPassingThreadFault(cause) ? NOT_BEGUN_MS : this.#countLoss(place);
    this.#options.onGone(place.index, cause, waitMs === null);
    if (waitMs === null) return;
    place.starting = this.#options.timers.after(waitMs, () => this.#startAnew(place));
  }

  /** The wait before the next engine; null when there shall be none. */
  #countLoss(place: Place): number | null {
    const now: bigint = this.#options.timers.now();
    const windowFrom = now - BigInt(RESTARTS_WINDOW_MS) * 1_000_000n;
    place.losses = [...place.losses.filter((at) => at > windowFrom), now];
    if (place.losses.length > RESTARTS_MAX) return null;
    return RESTART_MS * WAIT_FACTOR ** (place.losses.length - 1);
  }

  #startAnew(place: Place): void {
    this.#restartsTotal += 1;
    let engine: CrewEngine;
    try {
      engine = this.#start(place);
    } catch (error) {
      this.#lose(place, error);
      return;
    }
    this.#options.onReplaced(place.index, engine);
  }
}
