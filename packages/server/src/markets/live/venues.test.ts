import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_DIALECTS } from '../../../testing/live/dialects/all-dialects.ts';
import { FeedRun } from '../../../testing/live/feed-run.ts';
import { binanceCoinm, binanceUsdm } from './binance/binance-venue.ts';
import type { Rate, VenueLimits } from './feed.ts';
import { VENUES, venueNamed } from './venues.ts';

const FIRST_TRADE_MS_MAX = 2_000;
/** They end at different times between two attempts. */
const OUTAGES_MS = [5_000, 5_400, 5_800, 60_000, 60_900, 20 * 60_000];

for (const [name, make] of Object.entries(ALL_DIALECTS)) {
  test(`${name}: a trade is on the tape within 2 s after the venue accepts connections again`, () => {
    const run = new FeedRun({ seed: 7, dialect: make() });
    run.run(3_000);
    for (const outageMs of OUTAGES_MS) {
      run.set({ isDown: true, isQuiet: true });
      run.venue.cut(run.nowMs);
      run.run(outageMs);
      const before = tradesOf(run);
      run.heal();
      run.run(FIRST_TRADE_MS_MAX);
      assert.ok(tradesOf(run) > before, `none after an outage of ${outageMs} ms`);
      run.run(10_000);
      assert.equal(run.feed.status(run.now).state, 'live');
    }
    run.judge();
  });
}

test('the names of venues, their examples and their addresses can be used', () => {
  const names = VENUES.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, examples, addresses } of VENUES) {
    assert.ok(examples.length > 0, name);
    assert.equal(new Set(examples).size, examples.length, name);
    // Not all have requests.
    for (const address of Object.values(addresses).filter((one) => one !== '')) {
      assert.match(address, /^(?:wss|https|tcp):\/\/(?:\{dataset\}|[a-z])/, name);
    }
  }
});

/** Of `feeds.md`, sections 3, 6 and 7: at most so much in so many milliseconds. */
const LIMITS: Readonly<Record<string, Partial<VenueLimits>>> = {
  'binance-usdm': {
    requests: { units: 2_400, perMs: 60_000 },
    pageWeight: 20,
    connects: { units: 300, perMs: 300_000 },
    messages: { units: 10, perMs: 1_000 },
    contractsPerConnection: 200,
    connectionLifeMs: 86_400_000,
  },
  okx: {
    requests: { units: 20, perMs: 2_000 },
    connects: { units: 3, perMs: 1_000 },
    // Each is a subscription; a connection makes 480 an hour, and subscribes once.
    contractsPerConnection: 480,
  },
  // A connection sends two messages, of which an address may send eight a second.
  coinbase: { connects: { units: 4, perMs: 1_000 }, messages: { units: 8, perMs: 1_000 } },
  deribit: {
    requests: { units: 10_000, perMs: 1_000 },
    pageWeight: 500,
    messages: { units: 3.4, perMs: 1_000 },
  },
  'bybit-linear': { connects: { units: 500, perMs: 300_000 }, contractsPerConnection: 250 },
  databento: { connects: { units: 5, perMs: 1_000 }, messages: { units: 10, perMs: 1_000 } },
};

test('the limits of each venue are kept, and markets that are counted together share them', () => {
  const open = (name: string) => {
    const kind = venueNamed(name)!;
    return kind.open({ addresses: kind.addresses, key: 'k', venueDataset: kind.venueDataset });
  };
  const perSecond = ({ units, perMs }: Rate) => (units * 1_000) / perMs;
  for (const [name, most] of Object.entries(LIMITS)) {
    const { limits } = open(name);
    for (const rate of ['requests', 'connects', 'messages'] as const) {
      const isKept = most[rate] === undefined || perSecond(limits[rate]) <= perSecond(most[rate]);
      assert.ok(isKept, `${name} ${rate}`);
    }
    assert.ok(limits.pageWeight >= (most.pageWeight ?? 0), name);
    const { contractsPerConnection = Number.POSITIVE_INFINITY, connectionLifeMs = null } = most;
    assert.ok(limits.contractsPerConnection <= contractsPerConnection, name);
    assert.equal(limits.connectionLifeMs, connectionLifeMs, name);
  }
  assert.deepEqual(open('binance-coinm').limits, open('binance-usdm').limits);
  assert.equal(binanceCoinm.budgetGroup, binanceUsdm.budgetGroup);
});

function tradesOf({ intake }: FeedRun): number {
  return intake.trades.values().reduce((sum, { length }) => sum + length, 0);
}
