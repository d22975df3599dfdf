/**
 * Runs work once at a time for each name, since Paddle has no idempotency keys; concurrent callers share it. It
 * continues when its caller is gone, since Paddle may have done it already, and ends by itself when it takes too long.
 */

import type { Clock } from '../../platform/clock.ts';
import { UpstreamError } from '../payment-provider.ts';

/** Shorter than the limit of `AskedProvider`. */
const FLIGHT_MS_MAX = 9_000;
/** How many results are remembered: Paddle's lists may lag for a moment. */
const REMEMBERED_MAX = 1_000;

export class PaddleFlights<Result> {
  readonly #clock: Clock;
  readonly #underWay = new Map<string, Promise<Result>>();
  readonly #remembered = new Map<string, Result>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The result, if it was done here before. */
  known(name: string): Result | undefined {
    return this.#remembered.get(name);
  }

  remember(name: string, result: Result): void {
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= REMEMBERED_MAX && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
    this.#remembered.set(name, result);
  }

  async run(
    name: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#underWay.get(name) ?? this.#begin(name, work), gone]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #begin(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const late = new AbortController();
    const timer = this.#clock.after(FLIGHT_MS_MAX, () =>
      late.abort(new UpstreamError('paddle took too long')),
    );
    const flight = work(late.signal).finally(() => {
      timer[Symbol.dispose]();
      this.#underWay.delete(name);
    });
    // Callers that still wait receive the error.
    flight.catch(() => undefined);
    this.#underWay.set(name, flight);
    return flight;
  }
}
