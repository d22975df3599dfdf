/** What is at the left end of a chart: how far it is loaded, and how far one request may go. */

import type { Column } from '../series/chart-bar.ts';
import { spansOf } from '../series/session-spans.ts';
import type { SessionSpan } from '../series/sessions.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { InstrumentFacts } from './instrument-facts.ts';
import { laterOf, type PastEnd } from './past-end.ts';
import type { ReachFacts } from './past-reach.ts';
import type { PlanRoom } from './plan-room.ts';
import type { Segments } from './segments.ts';
import { startOfHistory } from './start-of-history.ts';
import { barsTopic, topicName } from './topics.ts';

export interface ReachInput {
  readonly spec: ChartSpec;
  readonly columns: readonly Column[];
  readonly end: PastEnd | null;
  readonly days: readonly SessionSpan[];
  readonly facts: InstrumentFacts;
  readonly segments: Segments;
  readonly room: PlanRoom;
  readonly nowMs: number;
  readonly nowNs: bigint;
}

/** Null: there was no first state yet. */
export async function reachFacts(input: ReachInput): Promise<ReachFacts | null> {
  const { spec, columns, end, days, facts, segments, room, nowMs, nowNs } = input;
  if (end === null) return null;
  const endNs = 'ns' in end ? end.ns : nowNs;
  const segment = segments.at(endNs - 1n);
  const named = segment ?? { contract: spec.instrument, endNs };
  const begun = await startOfHistory(facts, named, room, nowMs);
  const [first, last] = [columns[0], columns.at(-1)];
  const segmentNs = segment === null ? endNs : segment.fromNs;
  return {
    bar: spec.bar,
    spans: spansOf(spec.bar.session, days),
    bars: columns.length,
    spanNs: first === undefined ? 0n : last!.endNs - first.fromNs,
    ...{ endNs, startHem: begun.hem, barsName: topicName(barsTopic(spec)) },
    earliestNs: laterOf(segmentNs, begun.fromNs),
  };
}
