/**
 * Notices that the machine's clock was set while the service runs, by more than a minute. After a step back the
 * service's time runs at half speed until the two meet. Meanwhile the tape is ahead of the clock; the start and the end
 * of that are reported.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_MS, MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from './clock.ts';
import { type Machine, THIS_MACHINE } from './system-clock.ts';

const LOOK_EVERY_MS = 1_000;
/** Time servers correct a clock by less than this regularly. */
const STEP_MS_MAX = MINUTE_MS;

export interface ClockWatchOptions {
  readonly timers: Pick<Clock, 'every'>;
  /** How far the tape reaches; null if that is unrelated to the clock. */
  readonly tapeTime: () => EpochNs | null;
  /** Negative: the clock was set back. */
  readonly onStep: (ms: number) => void;
  readonly onAhead: (isAhead: boolean, ms: number) => void;
  readonly machine?: Machine;
}

export class ClockWatch implements Disposable {
  readonly steps = { forward: 0, back: 0 };
  readonly #options: ClockWatchOptions;
  readonly #machine: Machine;
  readonly #timer: Disposable;
  /** The wall clock minus the monotonic one. */
  #offsetMs: number;
  #isAhead = false;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#machine = options.machine ?? THIS_MACHINE;
    this.#offsetMs = this.#offset();
    this.#timer = options.timers.every(LOOK_EVERY_MS, () => this.look());
  }

  get aheadMs(): number {
    const tapeTime = this.#options.tapeTime();
    if (tapeTime === null) return 0;
    return Math.max(0, Number(tapeTime / MS_NS_BIG) - this.#machine.wallMs());
  }

  look(): void {
    const offsetMs = this.#offset();
    const stepMs = offsetMs - this.#offsetMs;
    if (Math.abs(stepMs) > STEP_MS_MAX) {
      this.#offsetMs = offsetMs;
      this.steps[stepMs > 0 ? 'forward' : 'back'] += 1;
      this.#options.onStep(stepMs);
    }
    const { aheadMs } = this;
    const isAhead = aheadMs > STEP_MS_MAX;
    if (isAhead === this.#isAhead) return;
    this.#isAhead = isAhead;
    this.#options.onAhead(isAhead, aheadMs);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #offset(): number {
    return this.#machine.wallMs() - Number(this.#machine.monotonicNs() / MS_NS_BIG);
  }
}
