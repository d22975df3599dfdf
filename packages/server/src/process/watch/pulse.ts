/**
 * Whether a service makes progress, for who restarts one that does not. Asking proves that the main thread works; the
 * thread of the tape proves it by its reports, which come every second, also while no trades are taken in. A thread that is
 * known to be lost does not count: what is there is still served then.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';

const SILENT_NS_MAX = 30n * SECOND_NS_BIG;

export class Pulse {
  readonly #monotonicNs: () => bigint;
  #heardAt: bigint;

  /** Time that nobody sets. */
  constructor(monotonicNs: () => bigint) {
    this.#monotonicNs = monotonicNs;
    this.#heardAt = monotonicNs();
  }

  /** The thread of the tape has reported. */
  beat(): void {
    this.#heardAt = this.#monotonicNs();
  }

  get isBeating(): boolean {
    return this.#monotonicNs() - this.#heardAt <= SILENT_NS_MAX;
  }
}
