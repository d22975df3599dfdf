/**
 * Decides when collecting a thread's garbage pays off: once after every rush, when work has become less, and whenever
 * memory outside the heap has grown by half. V8 alone keeps a rush's garbage for minutes in a thread with little work.
 * Of memory outside the heap, such as waiting responses, it sees only small handles.
 */

import { MIB } from '@tapeloom/core/units';

/** Below this busy share a thread had no rush. */
const RUSH_SHARE = 0.2;
/** A rush is over when the busy share falls to this part of its maximum. */
const CALM_PART = 0.6;
/** A smaller heap with its external memory does not pay off. */
const HEAP_BYTES_MIN = 40 * MIB;
/** Less external memory does not pay off during a rush. */
const EXTERNAL_BYTES_MIN = 96 * MIB;
const EXTERNAL_GROWTH = 1.5;
/** A collection blocks the thread for about a millisecond per MiB in use. */
const USED_BYTES_MAX = 256 * MIB;

export interface ThreadLook {
  readonly busyShare: number;
  readonly usedBytes: number;
  readonly heapBytes: number;
  /** Memory outside the heap that its objects hold. */
  readonly externalBytes: number;
}

export class RushWatch {
  #busiest = 0;
  /** The minimum of external memory since the last collection. */
  #leastExternal = 0;
  #isCollected = true;

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
