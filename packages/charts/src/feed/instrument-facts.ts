/** What is known of a chart's instrument: its name, its contracts over time, and since when there is history of each. */

import type { Instrument, InstrumentHistory } from '@tapeloom/client';
import type { ClientClock } from '@tapeloom/client/stream';
import { nextRoll, Segments } from './segments.ts';
import type { FeedSources } from './sources.ts';

export class InstrumentFacts {
  readonly #sources: Pick<FeedSources, 'instruments'>;
  readonly #name: string;
  readonly #signal: AbortSignal;
  instrument: Instrument | null = null;
  #ofDataset: Promise<readonly Instrument[]> | null = null;

  constructor(sources: Pick<FeedSources, 'instruments'>, name: string, signal: AbortSignal) {
    this.#sources = sources;
    this.#name = name;
    this.#signal = signal;
  }

  /** Never rejects: without facts a stream runs too. */
  async load(): Promise<void> {
    try {
      const instruments = await this.#sources.instruments({ signal: this.#signal });
      this.instrument =
        instruments.find(({ alias }) => alias === this.#name) ??
        instruments.find(({ symbol }) => symbol === this.#name) ??
        null;
    } catch {
      this.instrument = null;
    }
  }

  segments(nowNs: bigint): Segments {
    return Segments.of(this.#name, this.instrument, nowNs);
  }

  nextRoll(nowNs: bigint): bigint | null {
    return nextRoll(this.#name, this.instrument, nowNs);
  }

  /** Undefined: not known. Null: there is none for this key. */
  async historyOf(contract: string): Promise<InstrumentHistory | null | undefined> {
    const { instrument } = this;
    if (instrument === null) return undefined;
    if (instrument.symbol === contract) return instrument.history;
    const { dataset } = instrument;
    this.#ofDataset ??= this.#sources.instruments({ dataset, signal: this.#signal });
    try {
      return (await this.#ofDataset).find(({ symbol }) => symbol === contract)?.history ?? null;
    } catch {
      this.#ofDataset = null;
      return undefined;
    }
  }
}

/** Resolves when the work is done, or after the time. */
export async function within(clock: ClientClock, ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = clock.after(ms, late.resolve);
  await Promise.race([work, late.promise]);
  timer.cancel();
}
