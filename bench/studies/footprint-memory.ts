/**
 * A process of its own that tells its parent how many bytes a running default `footprint` on ES holds:
 * the most after a full collection, session by session, above what the tape itself takes. Two runs, one
 * after the other: the study alone, and with everything it published and keeps for snapshots.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { footprint } from '@tapeloom/core/studies/footprint';
import type { StudyRun } from '@tapeloom/core/studies/run';
import { epochNs } from '@tapeloom/core/utc-day';
import { collectGarbage } from '../shared/measure.ts';
import { simulatedTape } from '../shared/sim-tape.ts';
import { publishingRun, settledRun } from './study-pass.ts';

/** Three sessions and a bit: enough to see that nothing grows from one to the next. */
const TRADES = 1_500_000;
const STEP_NS = 10_000_000;
/** A study alone is so small that only the average of many can be told from the heap's own noise. */
const STUDIES = 50;

export interface SessionBytes {
  readonly session: UtcDay;
  readonly bytesMax: number;
}

export interface FootprintMemory {
  readonly studyAlone: readonly SessionBytes[];
  readonly withPublished: readonly SessionBytes[];
}

const tape = simulatedTape(TRADES);
const settled = () => {
  return Array.from({ length: STUDIES }, () => settledRun(footprint, tape, () => {}));
};
const publishing = () => [publishingRun(footprint, tape, STEP_NS, () => {})];
// Code is compiled while it first runs; its memory is no part of a study's.
await bytesBySession(settled);
await bytesBySession(publishing);
const memory: FootprintMemory = {
  studyAlone: await bytesBySession(settled),
  withPublished: await bytesBySession(publishing),
};
process.send!(memory);

async function bytesBySession(start: () => readonly StudyRun[]): Promise<SessionBytes[]> {
  const table = tape.sessions('full');
  const bytesMax = new Map<UtcDay, number>();
  const before = await heldBytes();
  const runs = start();
  for (const batch of tape.batches) {
    for (const run of runs) run.apply(batch);
    const { date } = table.atOrBefore(epochNs(batch.day, batch.ts[batch.count - 1]!))!;
    bytesMax.set(
      date,
      Math.max(bytesMax.get(date) ?? 0, ((await heldBytes()) - before) / runs.length),
    );
  }
  return [...bytesMax].map(([session, bytes]) => ({ session, bytesMax: Math.round(bytes) }));
}

/** A turn of the event loop first: until then the engine may hold on to what the last run left. */
async function heldBytes(): Promise<number> {
  await turn();
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
