/**
 * A venue through the whole service: a simulated Binance in another process, one busy contract and many on one
 * connection, from a trade's time to a subscriber's message; and how soon trades go on after the venue was gone.
 */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../shared/machine-load.ts';
import type { FeedReader } from './feed-reader.ts';
import { type FeedsPart, type RunFeedsPart, verdict } from './feeds-part.ts';
import { contractOf } from './venue-contracts.ts';
import { VenueStage, type VenueTimes } from './venue-stage.ts';

const BUSY = { contracts: 1, tradesPerSecond: 20_000 };
const MANY = { contracts: 200, tradesPerSecond: 10 };
const SECONDS = 15;
const WARM_SECONDS = 5;
const OUTAGE_MS = 60_000;
const FIRST_MS_MAX = 2_000;
/** The watermark stays behind by the venue's grace and a commit; more says that trades pile up. */
const LAG_SECONDS_MAX = 2;
const LOOK_MS = 250;
const FIRST = contractOf(1).venueSymbol;

interface Market {
  readonly contracts: number;
  readonly tradesPerSecond: number;
}

export const venue: RunFeedsPart = async () => {
  const busy = await measure(BUSY);
  const many = await measure(MANY);
  const firstMs = await measureReturn();
  const ms = (value: number) => value.toFixed(0);
  const shown = (what: string, found: Awaited<ReturnType<typeof measure>>): FeedsPart['rows'] => [
    [
      `${what}: trade to message`,
      `${ms(found.p50)} ms, 99 %: ${ms(found.p99)}`,
      `${ms(found.perSecond)} trades/s`,
    ],
    [
      `${what}: watermark behind`,
      `${found.lag50.toFixed(2)} s`,
      `at most ${found.lagMax.toFixed(2)} s`,
    ],
  ];
  const kept = (found: Awaited<ReturnType<typeof measure>>) =>
    found.lost === 0 && found.lagMax <= LAG_SECONDS_MAX;
  return {
    rows: [
      ...shown('one contract of Binance', busy),
      ...shown('200 contracts on one connection', many),
      [
        `a venue gone for ${OUTAGE_MS / 1_000} s: accepts, to the first message`,
        `${ms(firstMs)} ms`,
        '',
      ],
    ],
    notes: [
      verdict(
        '20,000 trades/s on one contract, none lost',
        kept(busy),
        `${busy.lost} of ${busy.trades} lost`,
      ),
      verdict(
        '200 contracts on one connection, none lost',
        kept(many),
        `${many.lost} of ${many.trades} lost`,
      ),
      verdict(
        `first trade within ${FIRST_MS_MAX} ms after the venue accepts connections`,
        firstMs <= FIRST_MS_MAX,
        `${ms(firstMs)} ms`,
      ),
      `Venue: ${SECONDS} s of trades behind ${WARM_SECONDS} s that warm up; latencies from the trade's own time, so with the 20 ms steps of the venue and the venue's grace. The venue, the service and the reader share the cores.`,
    ],
    json: { busy, many, firstMs },
  };
};

async function measure(market: Market) {
  await using stage = await VenueStage.open(market.contracts, market.tradesPerSecond);
  using reader = await stage.read(FIRST);
  await stage.order('trade');
  await pause(WARM_SECONDS * 1_000);
  const fromMs = Date.now();
  const lags: number[] = [];
  while (Date.now() - fromMs < SECONDS * 1_000) {
    await pause(LOOK_MS);
    lags.push(await stage.lagSeconds());
  }
  const untilMs = Date.now();
  await stage.order('quiet');
  const { counts, first } = await stage.order<VenueTimes>('times');
  await reader.has(first.length);
  // The others are no later.
  await pause(1_000);
  const latencies = latenciesOf(reader, first, fromMs, untilMs);
  const found = await stage.endAndCount(counts.map(([symbol]) => symbol));
  const trades = counts.reduce((sum, [, count]) => sum + count, 0);
  const perSecond = (latencies.length * market.contracts) / ((untilMs - fromMs) / 1_000);
  const lagsUp = lags.toSorted((a, b) => a - b);
  return {
    ...{ trades, perSecond, lag50: percentile(lagsUp, 0.5), lagMax: lagsUp.at(-1)! },
    ...{ p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
    lost: counts.reduce((sum, [, count], index) => sum + Math.abs(count - found[index]!), 0),
  };
}

/** Ascending milliseconds from each trade of the time to the first message that includes it. */
function latenciesOf(
  reader: FeedReader,
  tradeMs: readonly number[],
  fromMs: number,
  untilMs: number,
): readonly number[] {
  const latencies: number[] = [];
  tradeMs.forEach((ms, index) => {
    if (ms < fromMs || ms >= untilMs) return;
    latencies.push(performance.timeOrigin + reader.arrivalOf(index + 1)! - ms);
  });
  return latencies.sort((a, b) => a - b);
}

/** From the time at which the venue accepts connections again to a subscriber's message. */
async function measureReturn(): Promise<number> {
  await using stage = await VenueStage.open(1, 100);
  using reader = await stage.read(FIRST);
  await stage.order('trade');
  await reader.has(200);
  await stage.order('down');
  await pause(OUTAGE_MS);
  const before = reader.receipts.length;
  const upMs = await stage.order<number>('up');
  const { first } = await stage.order<VenueTimes>('times');
  await reader.has(first.length + 1);
  const next = reader.receipts.slice(before).find(({ trades }) => trades > first.length);
  assert.ok(next !== undefined);
  return performance.timeOrigin + next.atMs - upMs;
}
