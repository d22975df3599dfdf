/**
 * The history of the service's state: ninety UTC days and their incidents, from spans in which one node observed one
 * state. Several nodes serve together, so the best state observed at a time counts. During a gap in the record no node
 * ran. Before the first span the state is unknown.
 */

import type { EpochNs, UtcDay } from '../numbers.ts';
import { DAY_NS_BIG, SECOND_NS_BIG } from '../units.ts';
import { dayFromNumber, dayNumber, dayOf } from '../utc-day.ts';

export const STATUS_DAYS = 90;
/** A node records its state every half minute. Gaps of up to three times that are bridged: it may have restarted. */
export const STATUS_NOTED_EVERY_MS = 30_000;
export const STATUS_GAP_NS = 90n * SECOND_NS_BIG;
/** Only the newest are listed. */
export const INCIDENTS_MAX = 100;

/** The best first. */
export const NOTED_STATES = ['up', 'feed', 'engine', 'accounts'] as const;
export type NotedState = (typeof NOTED_STATES)[number];
type State = NotedState | 'stopped';

/** State of a past day: its worst state. `none`: nothing was recorded. */
export const PAST_DAY_STATES = ['up', 'partial', 'down', 'none'] as const;
export type PastDayState = (typeof PAST_DAY_STATES)[number];

/**
 * Why the service was impaired. `feed`: some instruments had no data. `engine`: nothing was computed. `accounts`: keys
 * could not be checked. `stopped`: nothing was recorded, since no node ran.
 */
export const INCIDENT_CAUSES = ['feed', 'engine', 'accounts', 'stopped'] as const;
export type IncidentCause = (typeof INCIDENT_CAUSES)[number];

export interface StatusSpan {
  /** Empty for a single server. */
  readonly node: string;
  readonly from: EpochNs;
  readonly until: EpochNs;
  readonly state: NotedState;
}

export interface StatusDay {
  readonly day: UtcDay;
  readonly state: PastDayState;
  readonly recordedSeconds: number;
  readonly partialSeconds: number;
  readonly downSeconds: number;
}

export interface Incident {
  readonly cause: IncidentCause;
  readonly from: EpochNs;
  /** Null: ongoing. */
  readonly until: EpochNs | null;
}

export interface StatusHistory {
  /** Null: nothing was recorded yet. */
  readonly recordedSince: EpochNs | null;
  /** The oldest first; the last one is today. */
  readonly days: readonly StatusDay[];
  /** The newest first. */
  readonly incidents: readonly Incident[];
}

interface Segment {
  readonly state: State;
  readonly from: bigint;
  readonly until: bigint;
}

/** If some instruments have no data, the service is partly up; without the engine or accounts it is down. */
export function isPartial(cause: IncidentCause): boolean {
  return cause === 'feed';
}

export function statusHistory(spans: readonly StatusSpan[], now: EpochNs): StatusHistory {
  const first = BigInt(dayNumber(dayOf(now)) - STATUS_DAYS + 1) * DAY_NS_BIG;
  const segments = segmentsOf(spans, now);
  const incidents = segments.flatMap(({ state, from, until }): Incident[] =>
    state === 'up' || until <= first
      ? []
      : [{ cause: state, from: from as EpochNs, until: until === now ? null : (until as EpochNs) }],
  );
  return {
    recordedSince: (segments[0]?.from as EpochNs | undefined) ?? null,
    days: daysOf(segments, first),
    incidents: incidents.toReversed().slice(0, INCIDENTS_MAX),
  };
}

/** From the first span until now, without gaps; neighbours differ. */
function segmentsOf(spans: readonly StatusSpan[], now: bigint): readonly Segment[] {
  const edges = joined(spans, now).flatMap(({ from, until, state }) => [
    { at: from, state, by: 1 },
    { at: until, state, by: -1 },
  ]);
  edges.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const open = new Map<NotedState, number>();
  const segments: Segment[] = [];
  const extend = (state: State, from: bigint, until: bigint) => {
    const last = segments.at(-1);
    if (from === until) return;
    if (last?.state !== state) segments.push({ state, from, until });
    else segments[segments.length - 1] = { ...last, until };
  };
  let since = edges[0]?.at ?? now;
  for (const { at, state, by } of edges) {
    extend(bestOf(open), since, at);
    since = at;
    open.set(state, (open.get(state) ?? 0) + by);
  }
  extend('stopped', since, now);
  return segments;
}

function bestOf(open: ReadonlyMap<NotedState, number>): State {
  return NOTED_STATES.find((state) => (open.get(state) ?? 0) > 0) ?? 'stopped';
}

/** The spans of each node, extended over bridged gaps; none reaches into the future. */
function joined(spans: readonly StatusSpan[], now: bigint) {
  const byNode = new Map<string, StatusSpan[]>();
  for (const span of spans) {
    if (span.from > now) continue;
    const own = byNode.get(span.node);
    if (own === undefined) byNode.set(span.node, [span]);
    else own.push(span);
  }
  return [...byNode.values()].flatMap((own) => {
    const sorted = own.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    return sorted.map(({ from, until, state }, index) => {
      const next = sorted[index + 1]?.from ?? now;
      const isGap = next - until > STATUS_GAP_NS;
      return { from, until: isGap ? until : next, state };
    });
  });
}

/** Day by day from the midnight `first` on. */
function daysOf(segments: readonly Segment[], first: bigint): readonly StatusDay[] {
  const days = Array.from({ length: STATUS_DAYS }, () => ({ all: 0, partial: 0, down: 0 }));
  for (const { state, from, until } of segments) {
    let begin = from > first ? from : first;
    while (begin < until) {
      const index = Number((begin - first) / DAY_NS_BIG);
      const midnight = first + BigInt(index + 1) * DAY_NS_BIG;
      const end = until < midnight ? until : midnight;
      const seconds = Number((end - begin) / SECOND_NS_BIG);
      const day = days[index]!;
      day.all += seconds;
      if (state !== 'up') day[isPartial(state) ? 'partial' : 'down'] += seconds;
      begin = end;
    }
  }
  const number = Number(first / DAY_NS_BIG);
  return days.map(({ all, partial, down }, index) => {
    const worst = down > 0 ? 'down' : partial > 0 ? 'partial' : 'up';
    return {
      day: dayFromNumber(number + index),
      state: all === 0 ? 'none' : worst,
      recordedSeconds: all,
      partialSeconds: partial,
      downSeconds: down,
    };
  });
}
