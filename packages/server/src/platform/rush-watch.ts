/**
 * Says when a thread's garbage is worth being collected: once after every rush, when its work has become
 * less. Left to itself, the collector of a thread that goes on with a little work keeps what the rush left
 * behind for minutes.
 */

import { MIB } from '@tapeloom/core/units';

/** A thread that was busy for less than this share of a look had no rush. */
const RUSH_SHARE = 0.2;
/** A rush is over when the thread is busy for no more than this part of its busiest. */
const CALM_PART = 0.6;
/** A smaller heap is not worth it. */
const HEAP_BYTES_MIN = 64 * MIB;
/** A collection takes about a millisecond for each MiB in use, in which the thread does nothing else. */
const USED_BYTES_MAX = 256 * MIB;

export interface ThreadLook {
  /** The share of the time since the last look for which the thread was busy. */
  readonly busyShare: number;
  readonly usedBytes: number;
  readonly heapBytes: number;
}

export class RushWatch {
  #busiest = 0;

  /** Whether a rush is over; once for each. */
  isOver({ busyShare, usedBytes, heapBytes }: ThreadLook): boolean {
    this.#busiest = Math.max(this.#busiest, busyShare);
    if (this.#busiest < RUSH_SHARE || busyShare > this.#busiest * CALM_PART) return false;
    this.#busiest = 0;
    return heapBytes >= HEAP_BYTES_MIN && usedBytes <= USED_BYTES_MAX;
  }
}
