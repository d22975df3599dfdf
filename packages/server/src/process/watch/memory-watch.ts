/**
 * While the process takes more memory than when it is calm, topics that nobody listens to are kept for 20 seconds only. What they held
 * is garbage then, and so is what answers and connections left: it is collected when the main thread has little to do, and the system
 * gets the memory back. A client that comes back later resumes by a replay, which says the same.
 */

import type { Clock } from '../../platform/clock.ts';
import { collectGarbage } from '../../platform/memory/collect-garbage.ts';
import { MemoryLevel } from '../../platform/memory/memory-level.ts';
import { returnFreeMemory } from '../../platform/memory/returned-memory.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';

const LOOK_MS = 5_000;
/** Looks between two collections at least; twice as many after each that followed no topic's end, so that a service which has really grown
 * is not held up for nothing. */
const LOOKS_BETWEEN = 3;
const LOOKS_BETWEEN_MAX = 60;
/** A collection holds up the thread for about a tenth of a second: only one that has time for that does it. */
const BUSY_SHARE_MAX = 0.5;

/** What is looked at and done of the process. */
export interface MemoryMachine {
  residentBytes(): number;
  /** The share of the time since the last call for which the thread was busy. */
  busyShare(): number;
  giveBack(): void;
}

export function watchMemory(
  hub: Pick<TopicHub, 'freeIdle'>,
  timers: Pick<Clock, 'every'>,
  machine: MemoryMachine = thisProcess(),
): Disposable {
  const level = new MemoryLevel();
  let [freed, looksSince, patience] = [0, LOOKS_BETWEEN, LOOKS_BETWEEN];
  return timers.every(LOOK_MS, () => {
    const isBusy = machine.busyShare() > BUSY_SHARE_MAX;
    looksSince += 1;
    const isAbove = level.look(machine.residentBytes());
    if (isAbove) freed += hub.freeIdle();
    else patience = LOOKS_BETWEEN;
    const isDue = freed > 0 ? looksSince > LOOKS_BETWEEN : isAbove && looksSince > patience;
    if (isBusy || !isDue) return;
    if (freed === 0) patience = Math.min(2 * patience, LOOKS_BETWEEN_MAX);
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
