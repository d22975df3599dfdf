/**
 * Notices that somebody set the machine's clock while the service runs: by more than a minute, forward or back. After a
 * step back the service's time does not follow, it goes on at half speed until the two meet; for so long its tape lies ahead
 * of the clock, which is told when it begins and when it ends.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_MS, MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from './clock.ts';
import { type Machine, THIS_MACHINE } from './system-clock.ts';

const LOOK_EVERY_MS = 1_000;
/** Time servers set a clock by less than this again and again. */
const STEP_MS_MAX = MINUTE_MS;

export interface ClockWatchOptions {
  readonly timers: Pick<Clock, 'every'>;
  /** How far the tape reaches; null where that says nothing about the clock. */
  readonly tapeTime: () => EpochNs | null;
  /** Negative: it was set back. */
  readonly onStep: (ms: number) => void;
  readonly onAhead: (isAhead: boolean, ms: number) => void;
  readonly machine?: Machine;
}

export class ClockWatch implements Disposable {
  readonly steps = { forward: 0, back: 0 };
  readonly #options: ClockWatchOptions;
  readonly #machine: Machine;
  readonly #timer: Disposable;
  /** The wall clock less the monotonic one. */
  #offsetMs: number;
  #isAhead = false;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#machine = options.machine ?? THIS_MACHINE;
    this.#offsetMs = this.#offset();
    this.#timer = options.timers.every(LOOK_EVERY_MS, () => this.look());
  }

  /** How far the tape lies ahead of the machine's clock. */
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
