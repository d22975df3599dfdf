/**
 * Which sessions a topic has completely, as far as its results depend on it: since when the current one is on the tape,
 * which ones of the look-back are complete, their gaps, and which trades they have, where days can be replaced. Days may come onto
 * the tape later: while these inputs stay the same, the topic's results do.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { sessionBefore, sessionsEarlier } from '../runs/look-back.ts';
import { lastDayBefore } from '../runs/missing-times.ts';
import type { RunSource } from '../runs/run-source.ts';
import type { TopicRun } from '../runs/topic-run.ts';

export interface SessionInputs {
  /** Since when it has all of the current or last session; null when that is the session's open. */
  readonly partialSince: EpochNs | null;
  /** All inputs, for comparison. */
  readonly text: string;
}

/** How far a run has come; null: it cannot begin yet. */
interface Reading extends Pick<TopicRun, 'startedAt' | 'warm'> {
  readonly reached: EpochNs | null;
}

const NOTHING_KNOWN: SessionInputs = { partialSince: null, text: '' };

export function sessionInputs(
  { sessions, days, indicator, params }: RunSource,
  { reached, startedAt, warm }: Reading,
): SessionInputs {
  const current = reached === null ? null : sessions.atOrBefore(reached);
  // Days that were not looked up yet will be, in their state at that time.
  if (current === null || !days.isKnown(lastDayBefore(reached!))) return NOTHING_KNOWN;
  const since = days.dataSince(current, reached!);
  const told = [`${since}`];
  const sessionsMax = indicator.lookBackSessionsMax(params);
  const first = sessionsEarlier(sessions, current, sessionsMax).open;
  told.push(days.contentFrom(dayOf(first < startedAt ? startedAt : first), reached!));
  let session = sessionBefore(sessions, current.open);
  for (let back = 0; back < sessionsMax && session !== null; back += 1) {
    // A carried-over value makes everything before it meaningless.
    if (!indicator.objectsOutliveSession && warm && session.open < startedAt) break;
    told.push(days.isComplete(session) ? 'whole' : 'not');
    session = sessionBefore(sessions, session.open);
  }
  return { partialSince: since === current.open ? null : since, text: told.join(' ') };
}
