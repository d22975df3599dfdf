/**
 * Connections closed as slow consumers. The close frame with the reason is queued behind the bytes in the kernel. So
 * the client gets ten seconds to read that far; then its socket is destroyed, whatever it does. The number of such
 * sockets is limited: beyond the limit, the oldest is destroyed at once.
 */

import type { Clock } from '../../platform/clock.ts';
import { SLOW_CLOSE_WITHIN_MS } from './socket-settings.ts';

const PARTING_MAX = 256;

export interface PartingCounters {
  /** Sockets that have not ended yet. */
  parting: number;
  /** Sockets that were destroyed because they did not end by themselves in time. */
  partingCutTotal: number;
}

/** Disposed when the socket has ended. */
export interface Parting extends Disposable {
  /** Destroys the socket at once. */
  cut(): void;
}

export class PartingSockets {
  readonly #timers: Pick<Clock, 'after'>;
  readonly #counters: PartingCounters;
  readonly #max: number;
  /** The oldest first. */
  readonly #parting = new Set<Parting>();

  constructor(timers: Pick<Clock, 'after'>, counters: PartingCounters, max = PARTING_MAX) {
    this.#timers = timers;
    this.#counters = counters;
    this.#max = max;
  }

  enter(destroy: () => void): Parting {
    if (this.#parting.size >= this.#max) this.#parting.values().next().value!.cut();
    const timer = this.#timers.after(SLOW_CLOSE_WITHIN_MS, () => parting.cut());
    const leave = () => {
      timer[Symbol.dispose]();
      if (!this.#parting.delete(parting)) return false;
      this.#counters.parting -= 1;
      return true;
    };
    const parting: Parting = {
      cut: () => {
        if (!leave()) return;
        this.#counters.partingCutTotal += 1;
        destroy();
      },
      [Symbol.dispose]: () => void leave(),
    };
    this.#parting.add(parting);
    this.#counters.parting += 1;
    return parting;
  }

  cutAll(): void {
    for (const parting of [...this.#parting]) parting.cut();
  }
}
