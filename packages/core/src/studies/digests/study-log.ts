/**
 * The complete output of a study over a tape, as text: settled updates with cursors and positions, then every flush of
 * a stream with its edges, then the objects still forming. Two computations with equal texts are indistinguishable.
 */

import { type Cursor, formatCursor } from '../../cursor.ts';
import type { Rank } from '../../numbers.ts';
import { FLUSH_STEP_NS } from '../flush-step.ts';
import type { Indicator, Params } from '../indicator.ts';
import { PublishedObjects } from '../published-objects.ts';
import { type RunOptions, StudyRun } from '../run.ts';
import type { RunOutput } from '../run-output.ts';
import type { StudyTape } from './study-tape.ts';

/** Writes line by line; returns the number of upserts. */
export function writeStudyLog(
  indicator: Indicator,
  params: Params,
  tape: StudyTape,
  write: (line: string) => void,
): number {
  const settled = runOver(indicator, params, tape, write, false);
  return settled + runOver(indicator, params, tape, write, true);
}

function runOver(
  indicator: Indicator,
  params: Params,
  tape: StudyTape,
  write: (line: string) => void,
  isStream: boolean,
): number {
  const objects = new PublishedObjects(indicator.objectsOutliveSession);
  let told = 0;
  const say = (...words: readonly unknown[]) => write(`${JSON.stringify(words)}\n`);
  const output: RunOutput = {
    upsert: (version, cursor, fromNs) => {
      told += 1;
      say('upsert', formatCursor(cursor), fromNs ?? null, objects.upsert(version));
    },
    remove: (id, final, ts, cursor, fromNs) => {
      say('remove', formatCursor(cursor), fromNs ?? null, objects.remove(id, final, ts));
    },
    openSession: ({ open, close }) => {
      objects.openSession();
      say('open', String(open), String(close));
    },
    flushed: (edge, position: Cursor) => say('flush', String(edge), formatCursor(position)),
  };
  const study = indicator.create(params);
  const speed = { stepNs: FLUSH_STEP_NS, formingBytes: () => objects.formingBytes };
  const options: RunOptions = {
    output,
    isWholeUpTo: tape.isWholeUpTo,
    ...(isStream ? speed : {}),
  };
  const sessions = tape.sessionsOf(indicator.sessionKind(params));
  const run = new StudyRun(study, sessions, { at: tape.start, rank: 0 as Rank }, options);
  for (const batch of tape.batches) run.apply(batch);
  run.advance(tape.until);
  study.forming(null, (version, mark) => {
    say('forming', formatCursor({ ...mark }), objects.upsert(version));
  });
  say('end', formatCursor(run.position), study.warm);
  return told;
}
