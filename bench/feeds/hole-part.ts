/**
 * A hole of 120,000 trades on one contract, from the reconnect until the tape is whole, in virtual time beside the time
 * that the venue's own limits allow.
 */

import type { Dialect, DialectContract } from '../../packages/server/testing/live/dialect.ts';
import { BinanceDialect } from '../../packages/server/testing/live/dialects/binance-dialect.ts';
import { okxDialect } from '../../packages/server/testing/live/dialects/okx-dialect.ts';
import { FeedRun } from '../../packages/server/testing/live/feed-run.ts';
import { type RunFeedsPart, verdict } from './feeds-part.ts';

const TRADES = 120_000;
const FACTOR_MAX = 1.2;
const STEP_MS = 50;
/** While the feed is cut. */
const TRADES_PER_STEP = 500;
/** Trades of the last moments, behind the hole. */
const ON_THEIR_WAY_MAX = 20;

interface Venue {
  readonly name: string;
  readonly dialect: Dialect;
  /** What the venue allows, as it says. */
  readonly pages: { readonly rows: number; readonly count: number; readonly perMs: number };
}

export const hole: RunFeedsPart = async () => {
  const venues: readonly Venue[] = [
    {
      name: 'binance-usdm',
      dialect: new BinanceDialect('binance-usdm', [
        { venueSymbol: 'BTCUSDT', tick: '0.1', lot: '0.001' },
      ]),
      pages: { rows: 1_000, count: 2_400 / 20, perMs: 60_000 },
    },
    {
      name: 'okx',
      dialect: { ...okxDialect, contracts: okxDialect.contracts.slice(0, 1) },
      pages: { rows: 100, count: 20, perMs: 2_000 },
    },
  ];
  const found = venues.map(measure);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  return {
    rows: found.map(({ name, trades, tookMs, allowedMs }) => [
      `${name}: a hole of ${trades.toLocaleString('en-US')} trades, to whole`,
      seconds(tookMs),
      `the venue's limits: ${seconds(allowedMs)}, so ${(tookMs / allowedMs).toFixed(2)} ×`,
    ]),
    notes: found.map(({ name, tookMs, allowedMs }) =>
      verdict(
        `a hole at ${name} closed within ${FACTOR_MAX} × the time of its limits`,
        tookMs <= FACTOR_MAX * allowedMs,
        (tookMs / allowedMs).toFixed(2),
      ),
    ),
    json: found,
  };
};

function measure({ name, dialect, pages }: Venue) {
  const [{ venueSymbol }] = dialect.contracts as [DialectContract];
  const run = new FeedRun({ seed: 5, dialect });
  run.run(5_000);
  run.set({ isDown: true });
  run.venue.cut(run.nowMs);
  const outstanding = () =>
    run.venue.trades.get(venueSymbol)!.length - (run.intake.trades.get(venueSymbol)?.length ?? 0);
  while (outstanding() < TRADES) {
    run.venue.trade(run.nowMs, STEP_MS, TRADES_PER_STEP);
    run.run(STEP_MS);
  }
  const trades = outstanding();
  run.heal();
  const { reconnects } = run.feed.status(run.now);
  while (
    run.feed.status(run.now).reconnects === reconnects &&
    run.feed.status(run.now).connection === 'waiting'
  ) {
    run.run(STEP_MS);
  }
  const startMs = run.nowMs;
  while (outstanding() > ON_THEIR_WAY_MAX) run.run(STEP_MS);
  const tookMs = run.nowMs - startMs;
  const { missing } = run.judge();
  const allowedMs = (Math.ceil(trades / pages.rows) / pages.count) * pages.perMs;
  return { name, trades, named: missing, tookMs, allowedMs };
}
