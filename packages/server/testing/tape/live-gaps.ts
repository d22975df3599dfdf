/**
 * Tapes of the studies' naive twins as a live source with outages delivers them: random gaps in the middle of days and
 * sessions, recorded at once or while they grow, and the sessions that know them.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import {
  DAY_NS,
  rankTrades,
  type TwinSession,
  type TwinTape,
} from '../../../core/testing/twins/twin-tape.ts';
import type { LiveGap, MemoryTrade } from './memory-tape.ts';

const SECOND = 1_000_000_000n;

interface GapShape {
  /** The trade before the gap, as a share of all. */
  readonly after: number;
  /** Where the gap begins between that trade and the next, in quarters. */
  readonly begin: number;
  /** How long it lasts. */
  readonly length: bigint;
  /** When it is recorded, in quarters of its length; 4: at its end. */
  readonly recorded: number;
}

export interface LiveShape {
  readonly gaps: readonly GapShape[];
  /** How many trades a commit has, repeated cyclically. */
  readonly cuts: readonly number[];
  /** How far the watermark is behind the last trade, in quarters of the time since the watermark before. */
  readonly lags: readonly number[];
}

export const liveShape: fc.Arbitrary<LiveShape> = fc.record({
  gaps: fc.array(
    fc.record({
      after: fc.double({ min: 0, max: 1, noNaN: true }),
      begin: fc.integer({ min: 0, max: 3 }),
      length: fc.oneof(
        fc.bigInt({ min: 1n, max: 20n * SECOND }),
        fc.bigInt({ min: 1n, max: DAY_NS / 2n }),
        fc.bigInt({ min: 1n, max: 2n * DAY_NS }),
      ),
      recorded: fc.integer({ min: 0, max: 4 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  cuts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  lags: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
});

export interface LiveCommit {
  readonly trades: readonly MemoryTrade[];
  readonly promise: EpochNs;
  readonly gaps: readonly LiveGap[];
}

export interface LiveGapped {
  /** The trades that arrived, and sessions that know their gaps. */
  readonly twin: TwinTape;
  readonly commits: readonly LiveCommit[];
}

interface Gap {
  readonly from: bigint;
  readonly to: bigint;
  readonly recordedAt: bigint;
}

export function liveGapped(tape: TwinTape, { gaps: shapes, cuts, lags }: LiveShape): LiveGapped {
  // At a whole second, where every flush is closed.
  const until = tape.until - (tape.until % SECOND) + 2n * SECOND;
  const gaps = gapsIn({ ...tape, until }, shapes);
  const left = tape.trades.filter(({ ns }) => !gaps.some(({ from, to }) => ns > from && ns < to));
  const sessions = tape.sessions.map((session) => withGaps(session, gaps));
  const twin = { ...tape, until, trades: rankTrades(left), sessions };
  return { twin, commits: commitsOf(twin, gaps, { cuts, lags }) };
}

/** Disjoint gaps, ascending, each after another trade and before the end. */
function gapsIn({ trades, until }: TwinTape, shapes: readonly GapShape[]): readonly Gap[] {
  const gaps: Gap[] = [];
  const wanted = shapes
    .map((shape) => ({ ...shape, index: Math.floor(shape.after * (trades.length - 1)) }))
    .sort((a, b) => a.index - b.index);
  for (const { index, begin, length, recorded } of wanted) {
    const trade = trades[index];
    if (trade === undefined || trade.ns <= (gaps.at(-1)?.to ?? -1n)) continue;
    const next = trades.slice(index + 1).find(({ ns }) => ns > trade.ns)?.ns ?? until;
    const from = trade.ns + ((next - trade.ns) * BigInt(begin)) / 4n;
    const to = from + length < until ? from + length : until;
    if (to <= from) continue;
    gaps.push({ from, to, recordedAt: from + ((to - from) * BigInt(recorded)) / 4n });
  }
  return gaps;
}

function withGaps(session: TwinSession, gaps: readonly Gap[]): TwinSession {
  const { open, close } = session;
  const first = gaps.find(({ from, to }) => from < close && to > open);
  if (first === undefined) return session;
  return { ...session, missingFrom: first.from > open ? first.from : open };
}

/** What a source with these gaps commits; every day has at least one commit, its midnight. */
function commitsOf(
  { trades, until, sessions }: TwinTape,
  gaps: readonly Gap[],
  { cuts, lags }: Pick<LiveShape, 'cuts' | 'lags'>,
): readonly LiveCommit[] {
  const commits: LiveCommit[] = [];
  const begin = [trades[0]?.ns ?? until, sessions[0]?.open ?? until].reduce((a, b) =>
    b < a ? b : a,
  );
  let promise = (begin / DAY_NS) * DAY_NS;
  let row = 0;
  const commit = (end: bigint, to: bigint, notes: readonly LiveGap[] = []) => {
    const mine: MemoryTrade[] = [];
    for (; row < trades.length && trades[row]!.ns < end; row += 1) {
      const { ns, price, size, side } = trades[row]!;
      mine.push({ at: ns as EpochNs, price, size, side: side as -1 | 0 | 1 });
    }
    if (to > promise) promise = to;
    commits.push({ trades: mine, promise: promise as EpochNs, gaps: notes });
  };
  /** Passes trades and midnights before `end`, in pieces. */
  const pass = (end: bigint) => {
    for (let turn = commits.length; row < trades.length && trades[row]!.ns < end; turn += 1) {
      const last = Math.min(row + cuts[turn % cuts.length]!, trades.length) - 1;
      const at = trades[last]!.ns < end ? trades[last]!.ns + 1n : end;
      midnights(at);
      commit(at, at - ((at - promise) * BigInt(lags[turn % lags.length]!)) / 4n);
    }
    midnights(end);
  };
  /** A day starts without a trade. */
  const midnights = (end: bigint) => {
    for (;;) {
      const next = (promise / DAY_NS + 1n) * DAY_NS;
      if (next > end) return;
      commit(next, next);
    }
  };
  commit(promise, promise);
  for (const { from, to, recordedAt } of gaps) {
    pass(from);
    commit(from + 1n, from);
    const midnight = (promise / DAY_NS + 1n) * DAY_NS;
    const isEnded = recordedAt === to;
    const gap = { from: from as EpochNs, to: (isEnded ? to : null) as EpochNs | null };
    commit(from + 1n, recordedAt < midnight ? recordedAt : midnight, [gap]);
    midnights(recordedAt);
    commit(from + 1n, recordedAt);
    if (isEnded) continue;
    const middle = recordedAt + (to - recordedAt) / 2n;
    for (const at of [middle, to]) {
      midnights(at);
      commit(from + 1n, at);
    }
    commit(to, to, [{ from: from as EpochNs, to: to as EpochNs }]);
  }
  pass(until);
  commit(until, until);
  return commits;
}
