/**
 * Joins the requests of readers at the edge of a dataset's tape for a current watermark. They are sent on at most twenty
 * times a second for each dataset, the first one at once.
 */

import { MS_NS } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';

const REQUEST_EVERY_NS = 50_000_000n;

export class WatermarkRequests {
  /** Real time. */
  readonly #timers: Pick<Clock, 'now' | 'after'>;
  readonly #send: (dataset: string) => void;
  readonly #nextAt = new Map<string, bigint>();
  readonly #waiting = new Set<string>();

  constructor(timers: Pick<Clock, 'now' | 'after'>, send: (dataset: string) => void) {
    this.#timers = timers;
    this.#send = send;
  }

  request(dataset: string): void {
    if (this.#waiting.has(dataset)) return;
    const waitNs = (this.#nextAt.get(dataset) ?? 0n) - this.#timers.now();
    // Guards against a clock that was set back.
    if (waitNs <= 0n || waitNs > REQUEST_EVERY_NS) {
      this.#sendNow(dataset);
      return;
    }
    this.#waiting.add(dataset);
    this.#timers.after(Number(waitNs) / MS_NS, () => {
      this.#waiting.delete(dataset);
      this.#sendNow(dataset);
    });
  }

  #sendNow(dataset: string): void {
    this.#nextAt.set(dataset, this.#timers.now() + REQUEST_EVERY_NS);
    this.#send(dataset);
  }
}
