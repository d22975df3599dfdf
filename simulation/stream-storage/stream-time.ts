/** Time of a test that passes for streams and who uses them: in small steps, each with what it sets going. */

import { setImmediate as settle } from 'node:timers/promises';
import { ManualClock } from '../clock/manual-clock.ts';

const STEP_MS = 10;

export class StreamTime extends ManualClock {
  constructor() {
    super(0n);
  }

  /** Longer steps are for long times in which little happens: what is set going in a step goes on in the next. */
  async pass(ms: number, stepMs = STEP_MS): Promise<void> {
    for (let rest = ms; rest > 0; rest -= stepMs) {
      this.advance(Math.min(rest, stepMs));
      await settle();
    }
  }

  /** Lets time pass until it is settled, and gives what it settled with. */
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

  /** Milliseconds since the beginning. */
  get ms(): number {
    return Number(this.now() / 1_000_000n);
  }
}
