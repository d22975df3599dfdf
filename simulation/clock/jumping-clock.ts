/**
 * The service's clock on a machine whose wall clock is changed while it runs. `pass` advances both, timers included;
 * `jump` moves the wall clock alone, as an operator or a time server would.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '@tapeloom/server/platform/clock';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { ManualClock } from './manual-clock.ts';

const MS_NS = 1_000_000n;
/** The longest interval at which a running service reads its clock. */
const LOOK_EVERY_MS = 100;

export class JumpingClock implements Clock {
  readonly #monotonic = new ManualClock(0n);
  readonly #shown: () => EpochNs;
  #aheadMs: number;

  constructor(start: EpochNs) {
    this.#aheadMs = Number(start / MS_NS);
    this.#shown = createClock(
      { kind: 'system' },
      { monotonicNs: () => this.#monotonic.now(), wallMs: () => this.#wallMs() },
    ).now;
  }

  now(): EpochNs {
    return this.#shown();
  }

  after(ms: number, run: () => void): Disposable {
    return this.#monotonic.after(ms, run);
  }

  every(ms: number, run: () => void): Disposable {
    return this.#monotonic.every(ms, run);
  }

  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  pass(ms: number): void {
    for (let rest = ms; rest > 0; rest -= LOOK_EVERY_MS) {
      this.#monotonic.advance(Math.min(rest, LOOK_EVERY_MS));
      this.now();
    }
  }

  #wallMs(): number {
    return this.#aheadMs + Number(this.#monotonic.now() / MS_NS);
  }
}
