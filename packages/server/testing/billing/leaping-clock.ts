/** A clock that jumps when told, without timers; the rig triggers what is due. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../src/platform/clock.ts';

const START = 1_794_823_200_000_000_000n;
const NEVER: Disposable = { [Symbol.dispose]: () => {} };

export class LeapingClock implements Clock {
  #now = START;

  now(): EpochNs {
    return this.#now as EpochNs;
  }

  leap(ms: number): void {
    this.#now += BigInt(ms) * 1_000_000n;
  }

  after(): Disposable {
    return NEVER;
  }

  every(): Disposable {
    return NEVER;
  }
}
