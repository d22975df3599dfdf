/**
 * A study with default parameters over a tape, driven exactly as the engine drives it. A settled
 * run hands over final objects. A publishing run flushes, encodes every version and stores what a
 * snapshot would contain.
 */

import { rank } from '@tapeloom/core/numbers';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { RunOutput } from '@tapeloom/core/studies/run-output';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { SimTape } from '../shared/sim-tape.ts';

/**
 * A real engine always has live studies. Without any between two passes, a garbage collection would
 * drop their hidden classes, and with them all code compiled for them.
 */
const newestRuns = new Map<Indicator, StudyRun>();

/** Storing the version forces V8 to build it: the compiler drops objects that never escape. */
const newestVersion: { version: ObjectVersion | null } = { version: null };

/** Passes every final version to `visit` and stores none. */
export function settledRun(
  indicator: Indicator,
  tape: SimTape,
  visit: (version: ObjectVersion) => void,
): StudyRun {
  const output = { upsert: visit, remove: () => {}, openSession: () => {}, flushed: () => {} };
  return startedRun(indicator, tape, output);
}

/** Flushes every `stepNs` of tape time; `onFlush` is called at every flush that publishes something. */
export function publishingRun(
  indicator: Indicator,
  tape: SimTape,
  stepNs: number,
  onFlush: () => void,
): StudyRun {
  const published = new PublishedObjects(indicator.objectsOutliveSession === true);
  const output = {
    upsert: (version: ObjectVersion) => void published.upsert(version),
    remove: (id: string, final: boolean, ts: string) => void published.remove(id, final, ts),
    openSession: () => published.openSession(),
    flushed: onFlush,
  };
  return startedRun(indicator, tape, output, stepNs);
}

/** A settled run over the whole tape; counts the objects and levels that it handed over. */
export function settledPass(
  indicator: Indicator,
  tape: SimTape,
): { readonly objects: number; readonly levels: number } {
  let [objects, levels] = [0, 0];
  const run = settledRun(indicator, tape, (version) => {
    newestVersion.version = version;
    objects += 1;
    const rows = (version.data as { readonly levels?: unknown }).levels;
    if (Array.isArray(rows)) levels += rows.length;
  });
  takeTape(run, tape);
  newestRuns.set(indicator, run);
  return { objects, levels };
}

/** A publishing run over the whole tape; returns how many flushes had something to publish. */
export function incrementalPass(indicator: Indicator, tape: SimTape, stepNs: number): number {
  let flushes = 0;
  const run = publishingRun(indicator, tape, stepNs, () => {
    flushes += 1;
  });
  takeTape(run, tape);
  newestRuns.set(indicator, run);
  return flushes;
}

function takeTape(run: StudyRun, { batches }: SimTape): void {
  for (const batch of batches) run.apply(batch);
  run.advance(epochNs(addDays(batches.at(-1)!.day, 1), 0));
}

function startedRun(
  indicator: Indicator,
  tape: SimTape,
  output: RunOutput,
  stepNs?: number,
): StudyRun {
  const parsed = parseParams(indicator, {});
  if (!('params' in parsed)) throw new Error(`${indicator.id}: the default parameters are refused`);
  const { params } = parsed;
  const sessions = tape.sessions(indicator.sessionKind(params));
  const start = { at: epochNs(tape.firstDay, 0), rank: rank(0) };
  const options = stepNs === undefined ? { output } : { output, stepNs };
  return new StudyRun(indicator.create(params), sessions, start, options);
}
