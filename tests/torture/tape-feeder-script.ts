/** The offers of the torture's feeder: generated trades, then a watermark two days ahead. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import {
  feedScript,
  type ScriptedOffer,
  type ScriptPace,
} from '../../packages/server/testing/tape/feed-script.ts';
import type { WireOffer } from './tape-wire.ts';

export const FEEDER_PACE: ScriptPace = { batchRowsMax: 600, offersPerDay: 40 };

export class FeederScript {
  readonly #script: Generator<ScriptedOffer, never>;
  readonly #ids = new Map<string, Set<number>>();
  #latest: EpochNs | null = null;
  #isStopped = false;
  isOver = false;
  offers = 0;

  constructor(seed: number, pace: ScriptPace) {
    this.#script = feedScript(seed, pace);
  }

  /** Makes the next offer the last one. */
  stop(): void {
    this.#isStopped = true;
  }

  next(): WireOffer | null {
    if (this.isOver) return null;
    const index = this.offers;
    this.offers += 1;
    if (this.#isStopped) {
      this.isOver = true;
      return { index, batches: [], promise: this.#end(), notes: [] };
    }
    const offer = this.#script.next().value;
    this.#latest = offer.promise ?? this.#latest;
    return { index, ...offer };
  }

  /** Counts the distinct valid trades of an offer. */
  count({ batches }: ScriptedOffer): void {
    for (const { symbol, count, id, price, size } of batches) {
      const ids = this.#ids.getOrInsertComputed(symbol, () => new Set());
      for (let row = 0; row < count; row++) {
        if (size[row]! > 0 && Number.isInteger(price[row])) ids.add(id[row]!);
      }
    }
  }

  get trades(): number {
    return [...this.#ids.values()].reduce((trades, ids) => trades + ids.size, 0);
  }

  /** Beyond every trade, so that no day stays open for trades to come. */
  #end(): EpochNs {
    return epochNs(addDays(dayOf(this.#latest ?? (0n as EpochNs)), 2), 0);
  }
}
