/**
 * Says when a thread's garbage is worth being collected: once after every rush, when its work has become
 * less, and whenever the memory outside of its heap has grown by half. Left to itself, the collector of a
 * thread that goes on with a little work keeps what the rush left behind for minutes, and of what lies
 * outside of the heap, such as answers that wait for readers, it sees small handles only.
 */

import { MIB } from '@tapeloom/core/units';

/** A thread that was busy for less than this share of a look had no rush. */
const RUSH_SHARE = 0.2;
/** A rush is over when the thread is busy for no more than this part of its busiest. */
const CALM_PART = 0.6;
/** A smaller heap, with what it holds outside, is not worth it. */
const HEAP_BYTES_MIN = 40 * MIB;
/** Less outside of the heap is not worth it while there is a rush. */
const EXTERNAL_BYTES_MIN = 96 * MIB;
const EXTERNAL_GROWTH = 1.5;
/** A collection takes about a millisecond for each MiB in use, in which the thread does nothing else. */
const USED_BYTES_MAX = 256 * MIB;

export interface ThreadLook {
  /** The share of the time since the last look for which the thread was busy. */
  readonly busyShare: number;
  readonly usedBytes: number;
  readonly heapBytes: number;
  /** Of memory outside of the heap that objects in it hold. */
  readonly externalBytes: number;
}

export class RushWatch {
  #busiest = 0;
  /** The least outside of the heap since the last collection. */
  #leastExternal = 0;
  #isCollected = true;

  /** Whether a collection is worth it now. */
  isDue(look: ThreadLook): boolean {
    const { usedBytes, heapBytes, externalBytes } = look;
    const isRushOver = this.#isRushOver(look) && heapBytes + externalBytes >= HEAP_BYTES_MIN;
    const isDue = (this.#hasGrown(externalBytes) || isRushOver) && usedBytes <= USED_BYTES_MAX;
    if (isDue) this.#isCollected = true;
    return isDue;
  }

  /** Once for each rush. */
  #isRushOver({ busyShare }: ThreadLook): boolean {
    this.#busiest = Math.max(this.#busiest, busyShare);
    if (this.#busiest < RUSH_SHARE || busyShare > this.#busiest * CALM_PART) return false;
    this.#busiest = 0;
    return true;
  }

  #hasGrown(externalBytes: number): boolean {
    const least = this.#isCollected ? externalBytes : Math.min(this.#leastExternal, externalBytes);
    this.#isCollected = false;
    this.#leastExternal = least;
    return externalBytes >= EXTERNAL_BYTES_MIN && externalBytes >= least * EXTERNAL_GROWTH;
  }
}
