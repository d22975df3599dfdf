/**
 * Tapes made by arithmetic on whole numbers alone, so that they are the same on every machine, under every
 * Node, for ever: a change of one would look like a change of every computation. Who wants other trades adds
 * a tape with a name of its own.
 *
 * They are made to hit edges: many trades at one instant, trades exactly on edges of sessions, midnights and
 * flushes and a nanosecond beside them, gaps of hours, jumps of price, very large sizes, sessions that touch,
 * a short one, one without regular hours, and one that is not complete.
 */

import type { Session, SessionKind } from '../../calendar/session.ts';
import { createSessionTable, tradesOnUtcDay } from '../../calendar/session-table.ts';
import type { EpochNs, UtcDay } from '../../numbers.ts';
import { addDays, dayOf, epochNs, utcDay } from '../../utc-day.ts';
import { batchesOf, type StudyTape, type TapeTrade } from './study-tape.ts';

const MS = 1_000_000n;
const SECOND = 1_000n * MS;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

/** One trading date, in minutes from its midnight UTC; `regular` null: it has no regular hours. */
interface TradingDate {
  readonly date: number;
  readonly full: readonly [open: number, close: number];
  readonly regular: readonly [open: number, close: number] | null;
  readonly isIncomplete?: true;
}

interface TapeShape {
  readonly dates: readonly TradingDate[];
  readonly seed: number;
  readonly trades: number;
  readonly firstPrice: number;
}

/** The evening before to the evening, as a winter week in Chicago: a short day, a closed one, a weekend. */
const WEEK: TapeShape = {
  dates: [
    { date: 20260105, full: [-60, 1_320], regular: [870, 1_260] },
    { date: 20260106, full: [-60, 1_320], regular: [870, 1_260], isIncomplete: true },
    { date: 20260107, full: [-60, 1_095], regular: null },
    { date: 20260109, full: [-60, 1_320], regular: [870, 1_080] },
    { date: 20260112, full: [-60, 1_320], regular: [870, 1_260] },
    { date: 20260113, full: [-60, 1_320], regular: [870, 1_260] },
  ],
  seed: 20_260_105,
  trades: 1_800,
  firstPrice: 27_000,
};

/** Sessions that touch at midnight, prices around zero. */
const ROUND_THE_CLOCK: TapeShape = {
  dates: [20260227, 20260228, 20260301, 20260302].map((date) => {
    return { date, full: [0, 1_440], regular: [810, 1_200] };
  }),
  seed: 77,
  trades: 800,
  firstPrice: 2,
};

/** By name. */
export function generatedTapes(): Readonly<Record<string, StudyTape>> {
  return { 'week-1': tapeOf(WEEK), 'round-the-clock-1': tapeOf(ROUND_THE_CLOCK) };
}

/** Times between two trades: bursts of close ones, with pauses between them. */
const GAPS: readonly bigint[] = [
  ...[0n, 0n, 0n, 0n, 0n, 0n, 1n, MS, MS + 1n, 3n * MS, 20n * MS - 1n, 20n * MS, 170n * MS],
  ...[SECOND, SECOND, 4n * SECOND, 7n * SECOND, 31n * SECOND],
];
const PAUSES: readonly bigint[] = [MINUTE, 5n * MINUTE, 20n * MINUTE, HOUR, 3n * HOUR];
const MOVES: readonly number[] = [-3, -2, -1, -1, 0, 0, 0, 0, 0, 1, 1, 2];
/** Ticks from the first price, from which on prices come back: so the same ones trade again and again. */
const STRAYS_MAX = 9;
const SIDES: readonly number[] = [-1, -1, -1, 0, 1, 1, 1];

/** Whole numbers below 2³², by shifts alone. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(count: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % count;
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }
}

function tapeOf({ dates, seed, trades: count, firstPrice }: TapeShape): StudyTape {
  const full = dates.map((it): Session => {
    const regular = it.regular === null ? {} : { regular: spanOf(it.date, it.regular) };
    return { date: utcDay(it.date), ...spanOf(it.date, it.full), ...regular };
  });
  const rth = full.flatMap(({ date, regular }) => (regular ? [{ date, ...regular }] : []));
  const first = dayOf(full[0]!.open);
  const last = dayOf(full.at(-1)!.close);
  const tables = {
    full: createSessionTable(full),
    rth: createSessionTable(rth),
    utc: createSessionTable(utcSessions(full, first, last)),
  } as const;
  const incomplete = new Set(dates.filter((it) => it.isIncomplete).map(({ date }) => date));
  const start = epochNs(first, 0);
  const edges = full.flatMap(({ open, close, regular }) => [
    ...[open, close, epochNs(addDays(dayOf(open), 1), 0)],
    ...(regular ? [regular.open, regular.close] : []),
  ]);
  const until = (full.at(-1)!.close + MINUTE) as EpochNs;
  const trades = walk(new Dice(seed), { start, until, edges, count, firstPrice });
  return {
    sessionsOf: (kind: SessionKind) => tables[kind],
    isWholeUpTo: ({ date }) => !incomplete.has(date),
    start,
    batches: batchesOf(trades),
    until,
  };
}

function spanOf(date: number, [open, close]: readonly [number, number]) {
  const midnight = epochNs(utcDay(date), 0);
  const at = (minutes: number) => (midnight + BigInt(minutes) * MINUTE) as EpochNs;
  return { open: at(open), close: at(close) };
}

function utcSessions(full: readonly Session[], first: UtcDay, last: UtcDay): Session[] {
  const table = createSessionTable(full);
  const sessions: Session[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    if (!tradesOnUtcDay(table, date)) continue;
    sessions.push({ date, open: epochNs(date, 0), close: epochNs(addDays(date, 1), 0) });
  }
  return sessions;
}

interface WalkSetup {
  readonly start: EpochNs;
  readonly until: EpochNs;
  readonly edges: readonly bigint[];
  readonly count: number;
  readonly firstPrice: number;
}

/** Evenly over the time there is: a pause that would leave the others behind is left out, or taken twice. */
function walk(dice: Dice, { start, until, edges, count, firstPrice }: WalkSetup): TapeTrade[] {
  const sorted = [...edges].sort((a, b) => (a < b ? -1 : 1));
  const trades: TapeTrade[] = [];
  let at: bigint = start;
  let price = firstPrice;
  while (trades.length < count) {
    const due = start + ((until - start) * BigInt(trades.length)) / BigInt(count);
    if (dice.isOneIn(9) && at < due) at += dice.oneOf(PAUSES);
    const next = sorted.find((edge) => edge > at);
    if (dice.isOneIn(25) && next !== undefined && next < due + 6n * HOUR) {
      at = next + dice.oneOf([-1n, 0n, 0n, 1n]);
    } else {
      at += dice.oneOf(GAPS);
    }
    if (at >= until) break;
    const strayed = price - firstPrice;
    price += dice.isOneIn(60) ? dice.below(81) - 40 : dice.oneOf(MOVES);
    if (strayed > STRAYS_MAX) price -= 2;
    if (strayed < -STRAYS_MAX) price += 2;
    const size = dice.isOneIn(8) ? 10 + dice.below(90) : 1 + dice.below(9);
    const isHuge = dice.isOneIn(400);
    trades.push({
      at: at as EpochNs,
      price,
      size: isHuge ? 50_000 : size,
      side: dice.oneOf(SIDES),
    });
  }
  return trades;
}
