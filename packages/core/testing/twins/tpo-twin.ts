/** The naive twin of the market profile: made again from all trades of the session after each of them. */

import { keyPricesOf, type ProfileParams } from './footprint-twin.ts';
import {
  TwinLog,
  type TwinSession,
  type TwinTape,
  type TwinTrade,
  type TwinUpdate,
  tradesIn,
} from './twin-tape.ts';

const MINUTE = 60_000_000_000n;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export interface TpoParams extends ProfileParams {
  readonly bracketMinutes: number;
  readonly initialBalanceMinutes: number;
}

export function tpoTwin(tape: TwinTape, params: TpoParams): TwinUpdate[] {
  const log = new TwinLog(tape);
  for (const session of tape.sessions) {
    const trades = tradesIn(tape, session);
    const first = trades[0];
    if (first === undefined) continue;
    const object = (count: number, final: boolean) => ({
      id: `${first.day}.${first.rank}`,
      final,
      ts: String(session.open),
      data: dataOf(trades.slice(0, count), session, params),
    });
    let shown = '';
    for (const [index, trade] of trades.entries()) {
      const now = object(index + 1, false);
      if (JSON.stringify(now) === shown) continue;
      log.byTrade(trade, now);
      shown = JSON.stringify(now);
    }
    if (session.close <= tape.until) log.byTime(session.close, object(trades.length, true));
  }
  return log.updates;
}

function dataOf(trades: readonly TwinTrade[], session: TwinSession, params: TpoParams) {
  const rowPrice = ({ price }: TwinTrade) => Math.floor(price / params.group) * params.group;
  const bracket = ({ ns }: TwinTrade) =>
    Number((ns - session.open) / (BigInt(params.bracketMinutes) * MINUTE));
  const rows = [...new Set(trades.map(rowPrice))]
    .sort((a, b) => a - b)
    .map((price) => {
      const mine = trades.filter((trade) => rowPrice(trade) === price);
      const brackets = [...new Set(mine.map(bracket))];
      const lastNew = mine.find((trade) => bracket(trade) === brackets.at(-1))!;
      const letters = brackets.map(letterOf).join('');
      return { price, letters, volume: brackets.length, reachedBy: trades.indexOf(lastNew) };
    });
  const end = session.open + BigInt(params.initialBalanceMinutes) * MINUTE;
  const balance = trades.filter(({ ns }) => ns < end).map(({ price }) => price);
  const prices = trades.map(({ price }) => price);
  return {
    rows: rows.map(({ price, letters }) => [price, letters]),
    ...keyPricesOf(rows, params),
    ibHigh: balance.length === 0 ? null : Math.max(...balance),
    ibLow: balance.length === 0 ? null : Math.min(...balance),
    singles: rows.filter(({ letters }) => letters.length === 1).map(({ price }) => price),
    high: Math.max(...prices),
    low: Math.min(...prices),
  };
}

function letterOf(bracket: number): string {
  const all = [...ALPHABET, ...ALPHABET.toLowerCase()];
  return all[bracket % all.length]!;
}
