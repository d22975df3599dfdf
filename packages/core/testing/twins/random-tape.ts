/**
 * Random tapes with random sessions that hit edges: many trades at one instant; trades exactly on edges of sessions and
 * regular hours, midnights and flush edges; gaps of nanoseconds and of days; sessions that touch.
 */

import fc from 'fast-check';
import { DAY_NS, dayAt, rankTrades, type TwinSession, type TwinTape } from './twin-tape.ts';

/** 2026-01-05 00:00 UTC. */
const START = 1_767_571_200_000_000_000n;
const MS = 1_000_000n;
const SECOND = 1_000n * MS;
const HOUR = 3_600n * SECOND;

const gap = fc.oneof(
  { arbitrary: fc.constant(0n), weight: 6 },
  { arbitrary: fc.constantFrom(1n, MS, MS + 1n, 3n * MS, 20n * MS - 1n, 20n * MS), weight: 4 },
  { arbitrary: fc.constantFrom(SECOND, 7n * SECOND, 60n * SECOND, 600n * SECOND), weight: 3 },
  { arbitrary: fc.constantFrom(HOUR, 7n * HOUR, 30n * HOUR), weight: 1 },
);

interface Step {
  readonly gap: bigint;
  /** Moves to the next session edge or midnight instead, or a nanosecond beside it. */
  readonly snap: bigint | null;
  readonly move: number;
  readonly size: number;
  readonly side: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  gap,
  snap: fc.option(fc.constantFrom(-1n, 0n, 1n), { freq: 8 }),
  move: fc.oneof(
    { arbitrary: fc.constantFrom(-1, 0, 0, 1, 2, -3), weight: 8 },
    { arbitrary: fc.integer({ min: -60, max: 60 }), weight: 1 },
  ),
  size: fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 9 }), weight: 6 },
    { arbitrary: fc.integer({ min: 10, max: 70 }), weight: 1 },
  ),
  side: fc.constantFrom(-1, -1, 0, 1, 1),
});

const session = fc.record({
  before: fc.constantFrom(0n, 0n, 1n, 13n * MS, 20n * MS, SECOND, HOUR, 5n * HOUR),
  length: fc.constantFrom(1n, 20n * MS, 90n * SECOND, HOUR, 9n * HOUR, 24n * HOUR, 40n * HOUR),
  /** The quarters of the session at which regular hours start and end. */
  regular: fc.option(fc.constantFrom<[bigint, bigint]>([0n, 4n], [0n, 2n], [1n, 3n], [2n, 4n])),
});

interface SessionShape {
  readonly before: bigint;
  readonly length: bigint;
  readonly regular: readonly [from: bigint, to: bigint] | null;
}

export const randomTape: fc.Arbitrary<TwinTape> = fc
  .record({
    startIn: fc.constantFrom(0n, HOUR, 23n * HOUR, 24n * HOUR - 10n * SECOND),
    sessions: fc.array(session, { maxLength: 14, size: 'max' }),
    steps: fc.array(step, { maxLength: 60, size: 'max' }),
    tail: gap,
    price: fc.constantFrom(-30, 0, 21_000),
  })
  .map(({ startIn, sessions, steps, tail, price }) => {
    const table = layOut(sessions, START + startIn);
    const trades = walk(steps, table, price);
    const until = (trades.at(-1)?.ns ?? START) + tail;
    return { trades: rankTrades(trades), sessions: table, until };
  });

/** The same with incomplete sessions: from the day of the open on, from the day after, or from the middle. */
export const randomTapeWithGaps: fc.Arbitrary<TwinTape> = fc
  .tuple(
    randomTape,
    fc.array(fc.constantFrom<null | bigint | 'middle'>(null, 0n, 1n, 'middle'), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([tape, gaps]) => {
    const sessions = tape.sessions.map((session, index): TwinSession => {
      const after = gaps[index % gaps.length]!;
      if (after === 'middle') {
        return { ...session, missingFrom: (session.open + session.close) / 2n };
      }
      const day = after === null ? session.close : session.open + after * DAY_NS;
      const midnight = (day / DAY_NS) * DAY_NS;
      return midnight < session.close && after !== null
        ? { ...session, missingDay: dayAt(midnight) }
        : session;
    });
    return { ...tape, sessions };
  });

/** Sizes of chunks, and the watermark between two chunks: null for none, else 0 to 4 quarters of the gap. */
export const randomCuts: fc.Arbitrary<readonly Cut[]> = fc.array(
  fc.record({
    rows: fc.integer({ min: 1, max: 9 }),
    quarter: fc.option(fc.integer({ min: 0, max: 4 })),
  }),
  { minLength: 1, maxLength: 20, size: 'max' },
);

export interface Cut {
  readonly rows: number;
  readonly quarter: number | null;
}

function layOut(sessions: readonly SessionShape[], start: bigint): TwinSession[] {
  let at = start;
  return sessions.map(({ before, length, regular }) => {
    const open = at + before;
    at = open + length;
    if (regular === null || length < 4n) return { open, close: at };
    const [from, to] = regular.map((quarter) => open + (length * quarter) / 4n) as [bigint, bigint];
    return { open, close: at, regular: { open: from, close: to } };
  });
}

function walk(steps: readonly Step[], sessions: readonly TwinSession[], firstPrice: number) {
  const edges = sessions.flatMap(({ open, close, regular }) =>
    regular === undefined ? [open, close] : [open, regular.open, regular.close, close],
  );
  let ns = START;
  let price = firstPrice;
  return steps.map(({ gap, snap, move, size, side }) => {
    const midnight = (ns / DAY_NS + 1n) * DAY_NS;
    const next = [...edges, midnight].filter((it) => it > ns).reduce((a, b) => (b < a ? b : a));
    ns += gap;
    if (snap !== null && next + snap >= ns) ns = next + snap;
    price += move;
    return { ns, price, size, side };
  });
}
