/**
 * Joins the requests of readers at the edge of the tape for a current watermark. They are sent on at most twenty times
 * a second, the first one at once.
 */

import { MS_NS } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';

const REQUEST_EVERY_NS = 50_000_000n;

export class WatermarkRequests {
  /** Real time. */
  readonly #timers: Pick<Clock, 'now' | 'after'>;
  readonly #send: () => void;
  #nextAt = 0n;
  #isWaiting = false;

  constructor(timers: Pick<Clock, 'now' | 'after'>, send: () => void) {
    this.#timers = timers;
    this.#send = send;
  }

  request(): void {
    if (this.#isWaiting) return;
    const waitNs = this.#nextAt - this.#timers.now();
    // Guards against a clock that was set back.
    if (waitNs <= 0n || waitNs > REQUEST_EVERY_NS) {
      this.#sendNow();
      return;
    }
    this.#isWaiting = true;
    this.#timers.after(Number(waitNs) / MS_NS, () => {
      this.#isWaiting = false;
      this.#sendNow();
    });
  }

  #sendNow(): void {
    this.#nextAt = this.#timers.now() + REQUEST_EVERY_NS;
    this.#send();
  }
}
