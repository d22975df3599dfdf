/**
 * One-minute bars by `computeTradeBars` of tardis-dev over its own normalised trade objects. The
 * objects are built beforehand, so no number includes building them or decoding a tape. Each
 * trade's time is in whole milliseconds, the precision of its dates.
 */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { epochNs } from '@tapeloom/core/utc-day';
import { compute, computeTradeBars, type Trade } from 'tardis-dev';
import type { SimTape } from '../shared/sim-tape.ts';

const MILLISECOND_NS = 1_000_000;
const MINUTE_MS = 60_000;
const SYMBOL = 'ES';
const EXCHANGE = 'bitmex';

const minuteBars = () => computeTradeBars({ kind: 'time', interval: MINUTE_MS });

export function tardisTrades(tape: SimTape): readonly Trade[] {
  return tape.batches.flatMap(tradesOf);
}

/** As its documentation shows: `compute` over an async iterator, which also yields every trade. */
export async function barsByCompute(trades: readonly Trade[]): Promise<number> {
  let bars = 0;
  for await (const message of compute(asyncIteratorOf(trades), minuteBars())) {
    if (message.type === 'trade_bar') bars += 1;
  }
  return bars;
}

/** Without async iterators: calls the bar-computing object in a plain loop. */
export function barsByLoop(trades: readonly Trade[]): number {
  const computable = minuteBars()();
  let bars = 0;
  for (const trade of trades) {
    for (const _bar of computable.compute(trade)) bars += 1;
  }
  return bars;
}

async function* asyncIteratorOf(trades: readonly Trade[]): AsyncGenerator<Trade> {
  yield* trades;
}

function tradesOf({ day, firstRank, count, ts, price, size, side }: TradeBatch): Trade[] {
  const midnightMs = Number(epochNs(day, 0)) / MILLISECOND_NS;
  return Array.from({ length: count }, (_, row) => {
    const timestamp = new Date(midnightMs + Math.floor(ts[row]! / MILLISECOND_NS));
    return {
      type: 'trade',
      symbol: SYMBOL,
      exchange: EXCHANGE,
      id: String(firstRank + row),
      price: price[row]!,
      amount: size[row]!,
      side: side[row] === 1 ? 'buy' : side[row] === -1 ? 'sell' : 'unknown',
      timestamp,
      localTimestamp: timestamp,
    };
  });
}
