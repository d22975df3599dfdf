/**
 * Measures works side by side. They take turns, so that a busy moment of the machine hits all
 * alike; each number is the median of its rounds. Time is processor time of all threads, because
 * other programs may use the machine. On a quiet machine it equals elapsed time for work on one
 * thread.
 */

import { GCProfiler, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Measured {
  readonly cpuMs: number;
  /** Garbage collections while it ran. */
  readonly collections: number;
  /** What it allocated on the JavaScript heap. */
  readonly allocatedBytes: number;
}

/** A work; its result may be a promise. */
type Work = () => unknown;

/** The medians by name of the work. */
export async function measured<Name extends string>(
  rounds: number,
  works: ReadonlyMap<Name, Work>,
): Promise<ReadonlyMap<Name, Measured>> {
  const turns = new Map<Name, Measured[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of works) {
      turns.set(name, [...(turns.get(name) ?? []), await measureOnce(work)]);
    }
  }
  return new Map(
    [...turns].map(([name, all]) => [
      name,
      {
        cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
        collections: median(all.map(({ collections }) => collections)),
        allocatedBytes: median(all.map(({ allocatedBytes }) => allocatedBytes)),
      },
    ]),
  );
}

/** A full garbage collection, whatever flags the process was started with. */
export const collectGarbage: () => void = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();

async function measureOnce(work: Work): Promise<Measured> {
  const profiler = new GCProfiler();
  profiler.start();
  const allocatedBefore = getHeapStatistics().total_allocated_bytes;
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const allocatedBytes = getHeapStatistics().total_allocated_bytes - allocatedBefore;
  const collections = profiler.stop().statistics.length;
  return { cpuMs: (user + system) / 1_000, collections, allocatedBytes };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
