/**
 * The days of the golden digests: trades of the simulated market with a fixed seed on fixed dates,
 * thin except for some dense minutes. Weeks of sealed days warm every look-back; the last day is
 * open and partly over.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import type { SimMarket } from '@tapeloom/server/markets/sim/trades/sim-market';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';
import { instantOf } from '../../packages/server/testing/rest/rest-service.ts';
import type { MemoryTrade } from '../../packages/server/testing/tape/memory-tape.ts';

export const SYMBOL = 'ESZ6';
const SEED = 20261111;
const FIRST_DAY = utcDay(20261019);
const LAST_DAY = utcDay(20261111);
/** The time that the tape of the open day has reached. */
export const NOW = instantOf('2026-11-11T15:40:00Z');
/** Where streams begin: the open day is dense here for some minutes. */
export const LIVE_START = instantOf('2026-11-11T15:30:00Z');

/** Stretches as dense as a real market, in whole seconds. */
const DENSE: readonly (readonly [string, string])[] = [
  ['2026-11-09T14:30:00Z', '2026-11-09T14:31:00Z'],
  ['2026-11-10T15:00:00Z', '2026-11-10T15:01:00Z'],
  ['2026-11-10T23:59:50Z', '2026-11-11T00:00:10Z'],
  ['2026-11-11T15:30:00Z', '2026-11-11T15:32:00Z'],
];

export interface GoldenScale {
  /** The scale of prints over all days. */
  readonly thin: number;
  /** The scale of prints in the dense stretches. */
  readonly dense: number;
  /** How many whole seconds a stream follows one by one. */
  readonly liveSeconds: number;
}

/** `small`: compared in every test run; `all`: compared on demand. */
export const SCALES = {
  small: { thin: 0.001, dense: 0.2, liveSeconds: 20 },
  all: { thin: 0.03, dense: 1, liveSeconds: 120 },
} as const satisfies Record<string, GoldenScale>;

export function goldenTrades({ thin, dense }: GoldenScale): readonly MemoryTrade[] {
  const stretches = DENSE.map(([from, to]) => ({ from: instantOf(from), to: instantOf(to) }));
  const isDense = (at: EpochNs) => stretches.some(({ from, to }) => at >= from && at < to);
  const denseDays = new Set(stretches.flatMap(({ from, to }) => [dayOf(from), dayOf(to)]));
  const [quietMarket, denseMarket] = [marketOf(thin), marketOf(dense)];
  const trades: MemoryTrade[] = [];
  for (let day = FIRST_DAY; day <= LAST_DAY; day = addDays(day, 1)) {
    const quiet = tradesOf(quietMarket, day).filter(({ at }) => !isDense(at));
    const busy = denseDays.has(day)
      ? tradesOf(denseMarket, day).filter(({ at }) => isDense(at))
      : [];
    trades.push(...[...quiet, ...busy].sort((a, b) => Number(a.at - b.at)));
  }
  return trades.filter(({ at }) => at < NOW);
}

function marketOf(printsScale: number): SimMarket {
  return createSimUniverse({ seed: SEED, printsScale }, LAST_DAY).market;
}

function tradesOf(market: SimMarket, day: UtcDay): readonly MemoryTrade[] {
  const columns = new TradeColumns();
  market.appendDay(SYMBOL, day, columns);
  return Array.from({ length: columns.count }, (_, row) => ({
    at: epochNs(day, columns.ts[row]!),
    price: columns.price[row]!,
    size: columns.size[row]!,
    side: columns.side[row]! as -1 | 0 | 1,
  }));
}
