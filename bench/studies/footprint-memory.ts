/**
 * Runs as its own process and reports to its parent how many bytes a running default `footprint` on
 * ES holds: the maximum after a full garbage collection, per session, without the tape itself. Two
 * runs follow each other: the study alone, and with all published objects that snapshots need.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { footprint } from '@tapeloom/core/studies/footprint';
import type { StudyRun } from '@tapeloom/core/studies/run';
import { epochNs } from '@tapeloom/core/utc-day';
import { collectGarbage } from '../shared/measure.ts';
import { simulatedTape } from '../shared/sim-tape.ts';
import { publishingRun, settledRun } from './study-pass.ts';

/** More than three sessions: enough to show that nothing grows from one to the next. */
const TRADES = 1_500_000;
const STEP_NS = 10_000_000;
/** A single study is within the noise of the heap, so many are measured and averaged. */
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
// The first runs compile the code, whose memory is not the study's.
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

/** Waits a turn of the event loop: until then V8 may hold objects of the last run. */
async function heldBytes(): Promise<number> {
  await turn();
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
