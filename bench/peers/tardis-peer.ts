/**
 * One-minute bars by `computeTradeBars` of tardis-dev over its own normalised trade objects. The objects
 * are made ahead and kept, so their making is in no number: neither that nor decoding a tape is what is
 * compared. Every trade here has a time in whole milliseconds, which is all its dates hold.
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

/** As its documentation has it: `compute` over an async iterator, which passes every trade on as well. */
export async function barsByCompute(trades: readonly Trade[]): Promise<number> {
  let bars = 0;
  for await (const message of compute(asyncIteratorOf(trades), minuteBars())) {
    if (message.type === 'trade_bar') bars += 1;
  }
  return bars;
}

/** Without the async iterators: the object that computes the bars, called in a plain loop. */
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
