/** Time of a test that passes for streams and who uses them: in small steps, each with what it sets going. */

import { setImmediate as settle } from 'node:timers/promises';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';

const STEP_MS = 10;

export class StreamTime extends ManualClock {
  constructor() {
    super(0n);
  }

  async pass(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= STEP_MS) {
      this.advance(Math.min(rest, STEP_MS));
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
