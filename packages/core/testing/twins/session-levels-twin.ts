/** The naive twin of session levels: computes every level again from all trades after each of them. */

import {
  isWhole,
  TwinLog,
  type TwinSession,
  type TwinTape,
  type TwinTrade,
  type TwinUpdate,
  tradesIn,
} from './twin-tape.ts';

const MINUTE = 60_000_000_000n;

export interface SessionLevelsParams {
  readonly session: string;
  readonly initialBalanceMinutes: number;
}

interface Span {
  readonly open: bigint;
  readonly close: bigint;
}

interface Level {
  readonly n: number;
  readonly kind: string;
  /** The trade of its birth. */
  readonly first: TwinTrade;
  readonly price: number;
  /** When it becomes final; null at birth. */
  readonly end: bigint | null;
}

export function sessionLevelsTwin(tape: TwinTape, params: SessionLevelsParams): TwinUpdate[] {
  const log = new TwinLog(tape);
  const days: (readonly TwinTrade[])[] = [];
  for (const session of tape.sessions) {
    const trades = tradesIn(tape, session);
    const previous = days.slice(-10).findLast((day) => day.length > 0) ?? [];
    const levelsAfter = (count: number) =>
      levelsOf(trades.slice(0, count), spansOf(session, params), previous);
    const endUntil = (after: bigint, until: bigint, levels: readonly Level[]) => {
      const ending = levels.filter(({ end }) => end !== null && after < end && end <= until);
      for (const level of ending.toSorted((a, b) => Number(a.end! - b.end!) || a.n - b.n)) {
        log.byTime(level.end!, objectOf(level, true));
      }
    };
    let now = session.open - 1n;
    for (const [index, trade] of trades.entries()) {
      const before = levelsAfter(index);
      endUntil(now, trade.ns, before);
      now = trade.ns;
      for (const level of levelsAfter(index + 1)) {
        const old = before.find(({ n }) => n === level.n);
        if (old?.price === level.price) continue;
        log.byTrade(trade, objectOf(level, level.end === null));
      }
    }
    endUntil(now, tape.until, levelsAfter(trades.length));
    days.push(!isWhole(session) ? [] : within(trades, spansOf(session, params).day));
  }
  return log.updates;
}

function spansOf(session: TwinSession, params: SessionLevelsParams) {
  const { open, close } = session;
  const regular = params.session === 'utc' ? undefined : session.regular;
  const day = params.session === 'rth' ? regular : { open, close };
  const balanceEnd = day && day.open + BigInt(params.initialBalanceMinutes) * MINUTE;
  const balance = day && {
    open: day.open,
    close: balanceEnd! < day.close ? balanceEnd! : day.close,
  };
  const overnight = regular && { open, close: regular.open };
  return { day, balance, overnight };
}

function levelsOf(
  trades: readonly TwinTrade[],
  { day, balance, overnight }: ReturnType<typeof spansOf>,
  previous: readonly TwinTrade[],
): Level[] {
  const inDay = within(trades, day);
  const [born] = [...within(trades, overnight), ...inDay];
  const levels = [
    ...(inDay[0] === undefined ? [] : [level(1, 'open', inDay[0], inDay[0].price)]),
    ...rangeOf(2, ['high', 'low'], inDay, day),
    ...(previous.length === 0 || born === undefined
      ? []
      : [
          level(4, 'previousHigh', born, highest(previous)),
          level(5, 'previousLow', born, lowest(previous)),
          level(6, 'previousClose', born, previous.at(-1)!.price),
        ]),
    ...rangeOf(7, ['overnightHigh', 'overnightLow'], within(trades, overnight), overnight),
    ...rangeOf(9, ['initialBalanceHigh', 'initialBalanceLow'], within(trades, balance), balance),
  ];
  return levels;
}

function rangeOf(
  n: number,
  [high, low]: readonly [string, string],
  trades: readonly TwinTrade[],
  span: Span | undefined,
): Level[] {
  const [first] = trades;
  if (first === undefined || span === undefined) return [];
  return [
    level(n, high, first, highest(trades), span.close),
    level(n + 1, low, first, lowest(trades), span.close),
  ];
}

function level(
  n: number,
  kind: string,
  first: TwinTrade,
  price: number,
  end: bigint | null = null,
): Level {
  return { n, kind, first, price, end };
}

function within(trades: readonly TwinTrade[], span: Span | undefined): TwinTrade[] {
  return trades.filter(({ ns }) => span !== undefined && span.open <= ns && ns < span.close);
}

function highest(trades: readonly TwinTrade[]): number {
  return Math.max(...trades.map(({ price }) => price));
}

function lowest(trades: readonly TwinTrade[]): number {
  return Math.min(...trades.map(({ price }) => price));
}

function objectOf({ n, kind, first, price }: Level, final: boolean) {
  const id = `${first.day}.${first.rank}.${n}`;
  return { id, final, ts: String(first.ns), data: { kind, price } };
}
