/**
 * The guides about live venues, step by step: docs/operating/binance-live.md, docs/operating/okx-live.md and
 * docs/operating/databento-live.md. Local servers that speak the venues' protocols stand for the venues.
 */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Dialect } from '../packages/server/testing/live/dialect.ts';
import { BinanceDialect } from '../packages/server/testing/live/dialects/binance-dialect.ts';
import { DATABENTO_KEY } from '../packages/server/testing/live/dialects/databento-dialect.ts';
import { DatabentoServer } from '../packages/server/testing/live/dialects/databento-server.ts';
import { okxDialect } from '../packages/server/testing/live/dialects/okx-dialect.ts';
import { SimVenue } from '../packages/server/testing/live/sim-venue.ts';
import { VenueServer } from '../packages/server/testing/live/venue-server.ts';
import { seededRandom } from '../simulation/clock/seeded-random.ts';
import { GuideStage } from './docs-samples/guide-stage.ts';
import { killServices } from './running-service.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** More than the guides begin before their start. */
const PAST_MS = 7 * HOUR_MS;
const PAST_STEP_MS = 20_000;
const TRADE_EVERY_MS = 50;
const RECONNECTED = /^tapeloom_feed_reconnects_total\S* [1-9]/m;
const directories: string[] = [];

after(() => {
  killServices();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** A server whose contracts were traded for some hours. */
async function serverOf(dialect: Dialect): Promise<VenueServer> {
  const symbols = dialect.contracts.map(({ venueSymbol }) => venueSymbol);
  const venue = new SimVenue(seededRandom(34), symbols, { dialect });
  const now = Date.now();
  for (let ms = now - PAST_MS; ms < now; ms += PAST_STEP_MS) venue.trade(ms, PAST_STEP_MS, 1);
  return await VenueServer.start({ dialect, venue });
}

function stageOf(page: string, server: VenueServer): GuideStage {
  const { stream, rest } = server.addresses;
  const stage = new GuideStage({
    page,
    addresses: ['--stream-address', stream, '--rest-address', rest],
    cut: () => server.venue.cut(Date.now()),
  });
  directories.push(stage.directory);
  return stage;
}

/** The first time in lines or documents of objects. */
function firstTimeMs(output: string): number {
  const found = /"ts":"(\d+)\d{6}"/.exec(output);
  assert.ok(found, output);
  return Number(found[1]);
}

function printedBy(printed: ReadonlyMap<{ readonly text: string }, string>, part: string): string {
  const found = [...printed].find(([{ text }]) => text.includes(part));
  assert.ok(found, part);
  return found[1];
}

function epochNsOf(ms: number): EpochNs {
  return (BigInt(ms) * 1_000_000n) as EpochNs;
}

/** The quarterly contract that is traded now, with its expiry on a third Friday. */
function frontQuarter(): { readonly code: string; readonly expiresMs: number } {
  const now = new Date();
  for (let month = now.getUTCMonth(); ; month += 1) {
    if (month % 3 !== 2) continue;
    const first = new Date(Date.UTC(now.getUTCFullYear(), month, 1));
    const friday = 15 + ((5 - first.getUTCDay() + 7) % 7);
    const expiresMs = Date.UTC(now.getUTCFullYear(), month, friday, 14, 30);
    if (expiresMs < now.getTime() + 3 * DAY_MS) continue;
    const letter = 'HMUZ'[(first.getUTCMonth() - 2) / 3];
    return { code: `${letter}${first.getUTCFullYear() % 10}`, expiresMs };
  }
}

describe('the guides about live venues', { concurrency: 3 }, () => {
  it('on Binance futures', async () => {
    const contracts = ['BTCUSDT', 'ETHUSDT'].map((venueSymbol) => ({
      venueSymbol,
      tick: venueSymbol === 'BTCUSDT' ? '0.10' : '0.01',
      lot: '0.001',
    }));
    await using server = await serverOf(new BinanceDialect('binance-usdm', contracts));
    await using stage = stageOf('docs/operating/binance-live.md', server);
    const printed = await stage.follow();
    assert.match(printedBy(printed, 'gaps_open'), RECONNECTED);
  });

  it('on OKX, from hours ago on', async () => {
    await using server = await serverOf(okxDialect);
    await using stage = stageOf('docs/operating/okx-live.md', server);
    const printed = await stage.follow();
    const agoMs = Date.now() - firstTimeMs(printedBy(printed, '--from 2h'));
    // What is before midnight comes behind the stream.
    const todayMs = Date.now() % DAY_MS;
    const leastMs = Math.min(1.9 * HOUR_MS, todayMs - 0.1 * HOUR_MS);
    assert.ok(agoMs > leastMs && agoMs < 2.2 * HOUR_MS, String(agoMs / HOUR_MS));
  });

  it('on Databento', async () => {
    const { code, expiresMs } = frontQuarter();
    const common = { exchange: 'XCME', instrumentClass: 'F', currency: 'USD' };
    const definitions = ['ES', 'NQ'].map((asset, at) => ({
      ...common,
      instrumentId: 50_000 + at,
      rawSymbol: `${asset}${code}`,
      asset,
      event: epochNsOf(Date.now() - HOUR_MS),
      expiration: epochNsOf(expiresMs),
      securityUpdateAction: 'A',
      minPriceIncrementNanos: 250_000_000n,
      unitOfMeasureQtyNanos: (asset === 'ES' ? 50n : 20n) * 1_000_000_000n,
    }));
    await using server = new DatabentoServer(() => Date.now(), { definitions });
    const stream = await server.listen();
    let id = 0;
    const trading = setInterval(() => {
      for (const { rawSymbol } of definitions) {
        id += 1;
        const price = `${6_800 + (id % 8) * 0.25}`;
        server.trade(rawSymbol, { id, ms: Date.now(), price, size: '2', isBuy: id % 3 > 0 });
      }
    }, TRADE_EVERY_MS);
    try {
      await using stage = new GuideStage({
        page: 'docs/operating/databento-live.md',
        addresses: ['--stream-address', stream],
        replaced: [
          ['db-…', DATABENTO_KEY],
          ['ESZ6', `ES${code}`],
          ['NQZ6', `NQ${code}`],
        ],
        cut: () => server.cut(),
      });
      directories.push(stage.directory);
      const printed = await stage.follow();
      assert.match(printedBy(printed, 'gaps_open'), RECONNECTED);
      assert.deepEqual(server.faults, []);
      for (const output of printed.values()) assert.ok(!output.includes(DATABENTO_KEY.slice(3)));
    } finally {
      clearInterval(trading);
    }
  });
});
