/**
 * The contracts for which the tape takes trades of a day: the same that the sequencer asks for. A listing is made anew
 * at most once a second, so that a batch costs no listing of its own and a changed file of instruments is soon seen.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayOf, later } from '@tapeloom/core/utc-day';
import type { PushedContract } from '../../feeds/push/push-contracts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Market } from '../market.ts';

export class ListedContracts {
  readonly #market: Pick<Market, 'listing'>;
  readonly #clock: Pick<Clock, 'now'>;
  #madeAt: EpochNs | null = null;
  readonly #days = new Map<UtcDay, ReadonlyMap<string, PushedContract>>();

  constructor({ market, clock }: { market: Pick<Market, 'listing'>; clock: Pick<Clock, 'now'> }) {
    this.#market = market;
    this.#clock = clock;
  }

  /** A trade that comes after the watermark has left its day is stamped on a later one, whose contracts count. */
  find(symbol: string, day: UtcDay, watermark: EpochNs | null): PushedContract | null {
    const now = this.#clock.now();
    if (this.#madeAt === null || now - this.#madeAt >= SECOND_NS_BIG) {
      this.#days.clear();
      this.#madeAt = now;
    }
    const on = watermark === null ? day : later(day, dayOf(watermark));
    const listed = this.#days.getOrInsertComputed(on, () => {
      const contracts = this.#market.listing(dayOf(now)).streamedOn(on);
      return new Map(contracts.map((contract) => [contract.symbol, contract]));
    });
    return listed.get(symbol) ?? null;
  }
}
