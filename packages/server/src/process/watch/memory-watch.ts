/**
 * While memory use is above its calm level, topics without subscribers stay for only 20 seconds. Their garbage, and
 * that of responses and connections, is collected when the main thread has little to do, and the system gets the memory
 * back. A client that returns later resumes by a replay, with the same result.
 */

import type { Clock } from '../../platform/clock.ts';
import { collectGarbage } from '../../platform/memory/collect-garbage.ts';
import { MemoryLevel } from '../../platform/memory/memory-level.ts';
import { returnFreeMemory } from '../../platform/memory/returned-memory.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';

const LOOK_MS = 5_000;
/**
 * The least number of looks between two collections. It doubles after each collection without a topic's end, so that a
 * service which really has grown is not held up for nothing.
 */
const LOOKS_BETWEEN = 3;
const LOOKS_BETWEEN_MAX = 60;
/** A collection blocks the thread for about a tenth of a second, so it happens only below this share of busy time. */
const BUSY_SHARE_MAX = 0.5;

export interface MemoryMachine {
  residentBytes(): number;
  /** The share of busy time of the thread since the last call. */
  busyShare(): number;
  giveBack(): void;
}

export function watchMemory(
  hub: Pick<TopicHub, 'freeIdle'>,
  timers: Pick<Clock, 'every'>,
  machine: MemoryMachine = thisProcess(),
): Disposable {
  const level = new MemoryLevel();
  let [freed, looksSince, looksMin] = [0, LOOKS_BETWEEN, LOOKS_BETWEEN];
  return timers.every(LOOK_MS, () => {
    const isBusy = machine.busyShare() > BUSY_SHARE_MAX;
    looksSince += 1;
    const isAbove = level.look(machine.residentBytes());
    if (isAbove) freed += hub.freeIdle();
    else looksMin = LOOKS_BETWEEN;
    const isDue = freed > 0 ? looksSince > LOOKS_BETWEEN : isAbove && looksSince > looksMin;
    if (isBusy || !isDue) return;
    if (freed === 0) looksMin = Math.min(2 * looksMin, LOOKS_BETWEEN_MAX);
    [freed, looksSince] = [0, 0];
    machine.giveBack();
  });
}

function thisProcess(): MemoryMachine {
  let before = performance.eventLoopUtilization();
  return {
    residentBytes: () => process.memoryUsage.rss(),
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    giveBack: () => {
      collectGarbage();
      void returnFreeMemory();
    },
  };
}
