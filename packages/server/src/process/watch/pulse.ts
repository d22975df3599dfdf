/**
 * Whether the service makes progress, for a supervisor that restarts it. A response proves that the main thread works.
 * The ingest thread proves it by its reports, which come every second even while ingest is paused. An ingest thread
 * that is known to be lost does not count: existing data is still served then.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';

const SILENT_NS_MAX = 30n * SECOND_NS_BIG;

export class Pulse {
  readonly #monotonicNs: () => bigint;
  #heardAt: bigint;

  /** `monotonicNs` is not affected by changes of the clock. */
  constructor(monotonicNs: () => bigint) {
    this.#monotonicNs = monotonicNs;
    this.#heardAt = monotonicNs();
  }

  beat(): void {
    this.#heardAt = this.#monotonicNs();
  }

  get isBeating(): boolean {
    return this.#monotonicNs() - this.#heardAt <= SILENT_NS_MAX;
  }
}
