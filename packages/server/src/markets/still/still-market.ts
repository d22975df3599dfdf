/** The market of a service with imported datasets only: nothing trades, but its watermark (`promise`) is the time. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import type { Intake } from '../../tape/write/intake.ts';
import type { FillPlan, LiveMarket, MarketListing, SourceOptions, TradeSource } from '../market.ts';

const STILL_DATASET = 'TIME';
/** Each watermark is a write to disk. */
const PROMISE_EVERY_MS = 1_000;
/** Minimum time after a request: at most 20 more commits per second. */
const REQUESTED_MS = 50;

const NOTHING_LISTED: MarketListing = {
  book: new InstrumentBook([], []),
  contracts: [],
  streamedOn: () => [],
};

export class StillMarket implements LiveMarket {
  readonly dataset = STILL_DATASET;

  listing(): MarketListing {
    return NOTHING_LISTED;
  }

  calendar(name: string): Calendar {
    throw new RangeError(`${this.dataset} has no calendar ${name}`);
  }

  /** Accepts any tape, because an empty one has nothing to contradict. */
  async claim(): Promise<void> {}

  async planFill(): Promise<FillPlan> {
    return { ready: [], rest: [] };
  }

  async fill(): Promise<readonly string[]> {
    return [];
  }

  source({ intake, clock }: SourceOptions): TradeSource {
    return new StillSource(intake, clock);
  }
}

class StillSource implements TradeSource {
  readonly #intake: Intake;
  readonly #clock: Clock;
  #requested = new AbortController();

  constructor(intake: Intake, clock: Clock) {
    this.#intake = intake;
    this.#clock = clock;
  }

  get lagMs(): number {
    const behind = this.#clock.now() - (this.#intake.promise ?? (0n as EpochNs));
    return Math.max(0, Number(behind) / MS_NS);
  }

  requestWatermark(): void {
    this.#requested.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A request after this needs a later watermark than the next one.
      const requested = new AbortController();
      this.#requested = requested;
      const now = this.#clock.now();
      // After the clock was set back, waits until it catches up.
      const { promise } = this.#intake;
      if (promise === null || now > promise) await this.#intake.offer([], now);
      const either = AbortSignal.any([signal, requested.signal]);
      await sleep(this.#clock, PROMISE_EVERY_MS, either);
      if (requested.signal.aborted) await sleep(this.#clock, REQUESTED_MS, signal);
    }
  }
}
