/**
 * The output of a run: its log, and what a flush publishes of it. Of several changes of an object between two flush
 * edges only the newest is published, in ascending cursor order.
 */

import type { Session } from '../calendar/session.ts';
import type { Cursor } from '../cursor.ts';
import type { EpochNs } from '../numbers.ts';
import { compareMarks, type ObjectVersion } from './study.ts';

/**
 * Receives the log: its whole settled part, or what each flush publishes. At settled speed each update carries
 * `fromNs`: the first nanosecond T of the cursor's day for which position(T) includes the update.
 */
export interface RunOutput {
  upsert(version: ObjectVersion, cursor: Cursor, fromNs?: number): void;
  /** The object is removed; `final` repeats its last flag. */
  remove(id: string, final: boolean, ts: string, cursor: Cursor, fromNs?: number): void;
  /** A session opens here in the log; the following updates belong to it. */
  openSession(session: Session): void;
  /** The step that ended at `edge` is complete; `position` is position(edge). Incremental speed only. */
  flushed(edge: EpochNs, position: Cursor): void;
}

/** A change that waits for the next flush. */
export type RunChange =
  | { readonly t: 'upsert'; readonly cursor: Cursor; readonly version: ObjectVersion }
  | {
      readonly t: 'remove';
      readonly cursor: Cursor;
      readonly id: string;
      readonly final: boolean;
      readonly ts: string;
    }
  | { readonly t: 'open'; readonly cursor: Cursor; readonly session: Session };

export function handOver(change: RunChange, output: RunOutput): void {
  switch (change.t) {
    case 'upsert':
      output.upsert(change.version, change.cursor);
      break;
    case 'remove':
      output.remove(change.id, change.final, change.ts, change.cursor);
      break;
    case 'open':
      output.openSession(change.session);
      break;
    default:
      throw new RangeError(`unknown change: ${change satisfies never}`);
  }
}

/** The newest change of each object, upsert or remove, and all session opens. Sorts its argument. */
export function newestOfEach(changes: RunChange[]): readonly RunChange[] {
  if (changes.length < 2) return changes;
  changes.sort((a, b) => compareMarks(a.cursor, b.cursor));
  const newest = new Map<string, RunChange>();
  for (const change of changes) {
    if (change.t !== 'open') newest.set(idOf(change), change);
  }
  return changes.filter((change) => change.t === 'open' || newest.get(idOf(change)) === change);
}

function idOf(change: Exclude<RunChange, { t: 'open' }>): string {
  return change.t === 'upsert' ? change.version.id : change.id;
}
