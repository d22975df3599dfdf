/**
 * Collects the garbage of this thread at once. A thread that has nothing more to do allocates nothing, so nothing
 * makes its collector begin, and what its last work left behind would stay with the process.
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
 * From now on, whenever it is worth it (`rush-watch.ts`), thoroughly: only so the room for young objects becomes
 * small again, too. Compiled code is kept, which such a collection would otherwise throw away.
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

/** From now on, where the thread is found without work and has had some since: how much it has had, null while it works. */
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
