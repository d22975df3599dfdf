/** Time for tests of streams and their users: it advances in small steps and lets each step's consequences run. */

import { setImmediate as settle } from 'node:timers/promises';
import { ManualClock } from '../clock/manual-clock.ts';

const STEP_MS = 10;

export class StreamTime extends ManualClock {
  constructor() {
    super(0n);
  }

  /** Longer steps suit long times with few events: consequences of a step continue in the next. */
  async pass(ms: number, stepMs = STEP_MS): Promise<void> {
    for (let rest = ms; rest > 0; rest -= stepMs) {
      this.advance(Math.min(rest, stepMs));
      await settle();
    }
  }

  /** Advances until the promise is settled, and returns its result. */
  async until<T>(promise: Promise<T>, msMax = 60_000): Promise<T> {
    let isSettled = false;
    const done = () => {
      isSettled = true;
    };
    promise.then(done, done);
    for (let passed = 0; passed < msMax && !isSettled; passed += STEP_MS) await this.pass(STEP_MS);
    if (!isSettled) throw new Error(`not settled after ${msMax} ms`);
    return await promise;
  }

  /** Milliseconds since the start. */
  get ms(): number {
    return Number(this.now() / 1_000_000n);
  }
}
