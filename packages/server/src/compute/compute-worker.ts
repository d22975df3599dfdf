/**
 * A compute thread: connects settled days and replays to the tape's port and to the parent. Both share the same turns.
 */

import { setImmediate as rest } from 'node:timers/promises';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { NodeDisk } from '../platform/disk/node-disk.ts';
import { collectAfterRushes, collectAtRest } from '../platform/memory/collect-garbage.ts';
import { createClock } from '../platform/system-clock.ts';
import { runInBackground } from '../platform/threads/background-thread.ts';
import { ThreadDesk } from '../platform/threads/thread-desk.ts';
import { sleep } from '../platform/waiting/sleep.ts';
import { ResultCache } from '../results/result-cache.ts';
import { type CacheUse, SettledDaysReader } from '../results/settled-days-reader.ts';
import { SessionTables } from '../runs/session-tables.ts';
import { StudyReplays } from '../runs/study-replays.ts';
import { followTapes, openImportedTapes, RoutedTape } from '../tape/read/routed-tape.ts';
import { ThreadCounters } from './compute-counters.ts';
import { ComputeDesk } from './compute-desk.ts';
import type { ComputeShape, ComputeThreadData } from './compute-wire.ts';
import { FairTurns } from './fair-turns.ts';

/** A page takes about so long from here to its client. */
const SERVED_AFTER_MS = 50;
/** How often an idle thread collects the garbage of its last work. */
const COLLECT_EVERY_MS = 15_000;

runInBackground();
const parent = parentPort!;
const desk = new ThreadDesk<ComputeShape>(parent);
const setup = workerData as ComputeThreadData;
const disk = new NodeDisk();
const clock = createClock({ kind: 'system' });
const tables = new SessionTables(setup.sessions);
const counters = new ThreadCounters(setup.counts);
const sent = new Int32Array(setup.sent);
/** Messages received; both counts wrap at 2^32. */
let received = 0;
const turns = new FairTurns({
  now: () => performance.now(),
  rest: () => rest(),
  // Other calls than the computing one proceed only in rests.
  isWanted: () => Atomics.load(sent, 0) !== received || desk.callCount > 1,
  onTurn: (ms) => counters.countTurn(ms),
});

const tape = new RoutedTape({
  live: await followTapes(disk, setup.tapeRoot, setup.tapePorts),
  imported: await openImportedTapes(disk, setup.tapeRoot, setup.imported),
  datasetOf: (contract) => tables.datasetOf(contract),
});
const shared = {
  tape,
  indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
  sessionsOf: tables.of.bind(tables),
  yieldTurn: () => turns.yieldTurn(),
  aside: <T>(work: () => Promise<T>) => turns.aside(work),
};
const days = new SettledDaysReader({
  ...shared,
  cache: cacheOf(setup),
  onDamage: (damage) => desk.tell({ t: 'damaged', ...damage }),
});
const computing = new ComputeDesk({
  tape,
  days,
  replays: new StudyReplays({ ...shared, turns, damaged: days.damaged }),
  turns,
  timers: clock,
  tables,
  refresh: async (dataset, replaced) => {
    await tape.refresh(dataset);
    for (const { contract, day } of replaced) days.damaged.forget(contract, day);
  },
  tell: (fault) => desk.tell(fault),
});
parent.on('message', () => {
  received = (received + 1) | 0;
});
desk.open(computing);
collectAfterRushes();
collectAtRest(COLLECT_EVERY_MS, () => (desk.callCount > 0 ? null : received));

function cacheOf({ cache }: ComputeThreadData): CacheUse | null {
  if (cache === null) return null;
  const { root, bytesMax } = cache;
  const writer = `${process.pid}-${threadId}`;
  return {
    results: new ResultCache({
      disk,
      root,
      bytesMax,
      now: () => Date.now(),
      writer,
      counters: counters.cache,
      served: () => sleep(clock, SERVED_AFTER_MS),
    }),
    datasetOf: (contract) => tables.datasetOf(contract) ?? tape.timeOf(contract),
  };
}
