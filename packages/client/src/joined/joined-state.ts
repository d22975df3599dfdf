/** The folded state of a joined reading: the objects from its start on, past and present. */

import type { IndicatorObject } from '../indicator-objects.ts';
import { KeptObjects } from '../stream/kept-objects.ts';
import type { SubscriptionState } from '../stream/subscription-state.ts';
import type { StreamUpdate } from '../stream/update.ts';

export class JoinedState<I extends string> implements SubscriptionState<I> {
  readonly objects: ReadonlyMap<string, IndicatorObject<I>>;
  cursor: string | null = null;
  status: SubscriptionState<I>['status'] = null;
  lagMs = 0;
  partialSince: bigint | null = null;
  contract: string | null = null;
  tickSizeNanos: number | null = null;
  serverNs: bigint | null = null;
  readonly #kept: KeptObjects<I>;

  constructor(keepFinal: number) {
    this.#kept = new KeptObjects(keepFinal);
    this.objects = this.#kept.map;
  }

  latest(): IndicatorObject<I> | undefined {
    return this.#kept.latest();
  }

  take(update: StreamUpdate<I>): void {
    switch (update.t) {
      case 'upsert':
        this.#kept.put(update.object);
        this.#kept.forgetOldFinals();
        this.cursor = update.cursor;
        return;
      case 'remove':
        this.#kept.delete(update.id);
        this.cursor = update.cursor;
        return;
      case 'snapshot':
        this.#kept.clear();
        for (const object of update.objects) this.#kept.put(object);
        this.#kept.forgetOldFinals();
        this.cursor = update.cursor;
        return;
      case 'reset':
        this.#kept.clear();
        this.cursor = null;
        return;
      case 'status':
        this.status = update.state;
        this.lagMs = update.lagMs;
        this.partialSince = update.partialSince;
        return;
      case 'notice':
        return;
      default:
        update satisfies never;
    }
  }

  /** Takes over fields that updates do not carry, from the stream or a page. */
  note(said: {
    readonly contract: string | null;
    readonly tickSizeNanos: number | null;
    readonly serverNs?: bigint | null;
  }): void {
    this.contract = said.contract;
    this.tickSizeNanos = said.tickSizeNanos;
    if (said.serverNs !== undefined) this.serverNs = said.serverNs;
  }
}
