/**
 * Collects the garbage of this thread at once. A thread that has nothing more to do allocates nothing, so nothing
 * makes its collector begin, and what its last work left behind would stay with the process.
 */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RushWatch } from './rush-watch.ts';

const LOOK_MS = 10_000;

let collect: (() => void) | null = null;

export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/** From now on, whenever a rush of this thread is over. */
export function collectAfterRushes(): void {
  const watch = new RushWatch();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const { used_heap_size: usedBytes, total_heap_size: heapBytes } = getHeapStatistics();
    if (watch.isOver({ busyShare: utilization, usedBytes, heapBytes })) collectGarbage();
  }, LOOK_MS).unref();
}
