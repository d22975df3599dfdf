/** The naive twin of naked levels: after every trade, compares the range of its session with every level. */

import { keyPricesOf, type ProfileParams, rowsOf } from './footprint-twin.ts';
import {
  dayAt,
  isWhole,
  TwinLog,
  type TwinTape,
  type TwinTrade,
  type TwinUpdate,
  tradesIn,
} from './twin-tape.ts';

export interface NakedLevelsParams extends ProfileParams {
  readonly lookback: number;
}

export function nakedLevelsTwin(tape: TwinTape, params: NakedLevelsParams): TwinUpdate[] {
  const log = new TwinLog(tape);
  let alive: { id: string; price: number; bornIn: number }[] = [];
  for (const [index, session] of tape.sessions.entries()) {
    const trades = tradesIn(tape, session);
    for (const [place, trade] of trades.entries()) {
      const prices = trades.slice(0, place + 1).map(({ price }) => price);
      const [low, high] = [Math.min(...prices), Math.max(...prices)];
      const isTraded = ({ price }: { price: number }) =>
        price <= high && low <= price + params.group - 1;
      for (const { id } of alive.filter(isTraded)) log.removeByTrade(trade, id);
      alive = alive.filter((level) => !isTraded(level));
    }
    if (session.close > tape.until) break;
    const hasAll = isWhole(session);
    for (const level of hasAll ? levelsOf(trades, dayAt(session.open), params) : []) {
      log.byTime(session.close, level);
      alive.push({ id: level.id, price: level.data.price, bornIn: index });
    }
    const isTooOld = ({ bornIn }: { bornIn: number }) =>
      !hasAll || index - bornIn >= params.lookback;
    for (const { id } of alive.filter(isTooOld)) log.removeByTime(session.close, id);
    alive = alive.filter((level) => !isTooOld(level));
  }
  return log.updates;
}

function levelsOf(trades: readonly TwinTrade[], sessionDate: number, params: NakedLevelsParams) {
  const [first] = trades;
  if (first === undefined) return [];
  const prices = keyPricesOf(rowsOf(trades, params.group), params);
  return (['poc', 'vah', 'val'] as const).map((kind, index) => ({
    id: `${first.day}.${first.rank}.${index + 1}`,
    final: true,
    ts: String(first.ns),
    data: { kind, price: prices[kind]!, sessionDate },
  }));
}
