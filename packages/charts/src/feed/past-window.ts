/** How far back one gesture loads: whole sessions, since only those can be summed, or less where they cost too much. */

import type { Span } from '../series/session-spans.ts';
import type { BarChoice } from '../spec/chart-spec.ts';

const SECOND_NS = 1_000_000_000n;
const HOUR_NS = 3_600n * SECOND_NS;
const DAY_NS = 24n * HOUR_NS;
/** Bars that a gesture brings at least, if there are any. */
const BARS_MIN = 60;
const SESSIONS_MAX = 30;
/** Less than this is not worth a request. */
const PART_BARS_MIN = 10;
const PART_SECONDS_MIN = 60;
/** Without sessions. */
const SPAN_BARS = 300n;
const SPAN_NS_MAX = 30n * DAY_NS;

export interface WindowFacts {
  readonly bar: BarChoice;
  /** Of the bars' kind; empty: not known. */
  readonly spans: readonly Span[];
  /** Bars that are loaded, and the time between the first and the last. */
  readonly bars: number;
  readonly spanNs: bigint;
}

/** The instant from which to load, before `endNs`. */
export function windowStart(endNs: bigint, { bar, spans, ...loaded }: WindowFacts): bigint {
  const barNs = averageBarNs(bar, loaded);
  const last = spans.findLastIndex(({ openNs }) => openNs < endNs);
  // A session that no answer has reached: the first that is known may not be the one before.
  if (last === -1) return endNs - clampSpan(barNs * SPAN_BARS);
  let first = last;
  let bars = barsIn(spans[first]!, endNs, barNs);
  while (first > 0 && bars < BARS_MIN && last - first < SESSIONS_MAX - 1) {
    first -= 1;
    bars += barsIn(spans[first]!, endNs, barNs);
  }
  return spans[first]!.openNs;
}

/** The point of a window that leaves about this share of it after itself. */
export function partStart(endNs: bigint, startNs: bigint, share: number): bigint {
  return endNs - BigInt(Math.floor(Number(endNs - startNs) * Math.min(1, share)));
}

/** A part that is not worth a request. */
export function isTooSmall(ns: bigint, { bar: { kind, size } }: WindowFacts): boolean {
  // Bars of trades come in bursts, so their average says nothing about a part of a session.
  return ns < SECOND_NS * BigInt(kind === 'time' ? size * PART_BARS_MIN : PART_SECONDS_MIN);
}

/** The open of the session that has the instant before `endNs`, or that closed last before it. */
export function sessionOpenBefore(endNs: bigint, spans: readonly Span[]): bigint | null {
  return spans.findLast(({ openNs }) => openNs < endNs)?.openNs ?? null;
}

/** The session that contains the instant; null: none is known to. */
export function spanAt(spans: readonly Span[], ns: bigint): Span | null {
  return spans.find(({ openNs, closeNs }) => openNs <= ns && ns < closeNs) ?? null;
}

function barsIn({ openNs, closeNs }: Span, endNs: bigint, barNs: bigint): number {
  const end = closeNs < endNs ? closeNs : endNs;
  return Number((end - openNs) / (barNs === 0n ? 1n : barNs));
}

function averageBarNs(
  { kind, size }: BarChoice,
  { bars, spanNs }: Pick<WindowFacts, 'bars' | 'spanNs'>,
): bigint {
  if (kind === 'time') return BigInt(size) * SECOND_NS;
  if (bars < 2) return 60n * SECOND_NS;
  return spanNs / BigInt(bars) || SECOND_NS;
}

function clampSpan(ns: bigint): bigint {
  if (ns < HOUR_NS) return HOUR_NS;
  return ns > SPAN_NS_MAX ? SPAN_NS_MAX : ns;
}
