/** The simulator as a live source, slice by slice. The list of streamed contracts changes at midnight. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Intake, IntakeBatch } from '../../tape/write/intake.ts';
import { type ClockedOptions, ClockedSource, type KnownTrades } from '../clocked-source.ts';
import { SimFeed } from './sim-feed.ts';
import type { SimUniverse } from './sim-universe.ts';
import { SLICE_NS } from './trades/slice.ts';

type StreamedUniverse = Pick<SimUniverse, 'market' | 'streamedOn'>;

export interface SimSourceOptions extends ClockedOptions {
  readonly universe: StreamedUniverse;
}

export class SimSource extends ClockedSource {
  constructor({ universe, ...options }: SimSourceOptions) {
    super(new SimTrades(universe, options.intake), options);
  }
}

class SimTrades implements KnownTrades {
  readonly #universe: StreamedUniverse;
  readonly #intake: Intake;
  #feeds: readonly SimFeed[] = [];
  #day: UtcDay | null = null;

  constructor(universe: StreamedUniverse, intake: Intake) {
    this.#universe = universe;
    this.#intake = intake;
  }

  enter(day: UtcDay, fromNs: number): number {
    if (day !== this.#day) {
      const { market } = this.#universe;
      this.#feeds = this.#universe
        .streamedOn(day)
        .map(({ symbol }) => new SimFeed(market, symbol, this.#intake.lastId(symbol)));
      this.#day = day;
    }
    const slice = Math.floor(fromNs / SLICE_NS);
    for (const feed of this.#feeds) feed.enter(day, slice, fromNs);
    return (slice + 1) * SLICE_NS;
  }

  pending(untilNs: number): number {
    let trades = 0;
    for (const feed of this.#feeds) trades += feed.pending(untilNs);
    return trades;
  }

  take(untilNs: number): IntakeBatch[] {
    return this.#feeds.map((feed) => feed.take(untilNs)).filter((batch) => batch !== null);
  }
}
