/**
 * Collects this thread's garbage at once. An idle thread allocates nothing, so its collector never starts, and the
 * garbage of its last work would stay with the process.
 */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { returnFreeMemory } from './returned-memory.ts';
import { RushWatch } from './rush-watch.ts';

const LOOK_MS = 10_000;

type Collect = (how?: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

let collect: Collect | null = null;

export function collectGarbage(): void {
  collector()();
}

/**
 * Collects from now on whenever it pays off (`rush-watch.ts`), thoroughly: only this also shrinks the space for young
 * objects. Compiled code is preserved, which such a collection would otherwise discard.
 */
export function collectAfterRushes(): void {
  const watch = new RushWatch();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const { used_heap_size, total_heap_size, external_memory } = getHeapStatistics();
    const look = {
      busyShare: utilization,
      usedBytes: used_heap_size,
      heapBytes: total_heap_size,
      externalBytes: external_memory,
    };
    if (!watch.isDue(look)) return;
    collectThoroughly();
  }, LOOK_MS).unref();
}

/** Collects from now on when the thread is idle and has worked. `workDone` is null while it works. */
export function collectAtRest(everyMs: number, workDone: () => number | null): void {
  let collectedAt = 0;
  setInterval(() => {
    const done = workDone();
    if (done === null || done === collectedAt) return;
    collectedAt = done;
    collectThoroughly();
  }, everyMs).unref();
}

function collectThoroughly(): void {
  collector()({ type: 'major', flavor: 'last-resort' });
  void returnFreeMemory();
}

function collector(): Collect {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    setFlagsFromString('--no-flush-bytecode');
    collect = runInNewContext('gc') as Collect;
  }
  return collect;
}
