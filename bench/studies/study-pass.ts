/**
 * A study with its default parameters over a tape, in either speed, driven exactly as the engine drives
 * it: a settled run hands over final objects, a publishing one flushes, encodes every version and keeps
 * what a snapshot would show.
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
 * An engine has studies alive at all times. Were there none between two passes, a garbage collection
 * would forget how their objects are laid out and with it all code compiled for them.
 */
const newestRuns = new Map<Indicator, StudyRun>();

/** What is kept has to be built: a compiler leaves out parts of an object that nobody could ever see. */
const newestVersion: { version: ObjectVersion | null } = { version: null };

/** Shows every final version to `visit` and keeps none. */
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

/** A settled run over the whole tape; counts what it handed over. */
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
