import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BinanceDialect,
  type BinanceKind,
} from '../../../../testing/live/dialects/binance-dialect.ts';
import type { PageAnswer } from '../feed.ts';
import type { Network } from '../network.ts';
import { VenueError, type VenueKind } from '../venue-kind.ts';
import { venueNamed } from '../venues.ts';

const signal = new AbortController().signal;

function networkOf(answer: (url: string) => PageAnswer | Error): Network {
  return {
    connect: () => assert.fail('no connection'),
    async request({ url }) {
      const said = answer(url);
      if (said instanceof Error) throw said;
      return said;
    },
  };
}

function readWith(
  kind: VenueKind,
  symbols: readonly string[],
  change: (body: string) => string = (body) => body,
) {
  const dialect = new BinanceDialect(kind.name as BinanceKind);
  const network = networkOf((url) => {
    const said = dialect.page({ url }, () => [], 0)!.answer([]);
    return { ...said, body: change(said.body) };
  });
  const settings = { addresses: kind.addresses, key: null, venueDataset: null };
  return kind.contracts(network, settings, symbols, signal);
}

const usdm = venueNamed('binance-usdm')!;
const coinm = venueNamed('binance-coinm')!;
const EXPIRES_AT = BigInt(Date.UTC(2026, 2, 27, 8)) * 1_000_000n;

test('the contracts of USD-M have the grid of their filters, in the order they were asked', async () => {
  const [future, perpetual] = await readWith(usdm, ['BTCUSDT_260327', 'BTCUSDT']);
  const terms = { root: 'BTCUSDT', base: 'BTC', currency: 'USDT', lot: '0.001', pointValue: '1' };
  const common = { ...terms, isInverse: false, notTraded: null, calendar: null };
  assert.deepEqual(perpetual, {
    ...common,
    ...{ venueSymbol: 'BTCUSDT', kind: 'perpetual', title: 'BTCUSDT perpetual' },
    ...{ tick: '0.10', expiresAt: null },
  });
  assert.deepEqual(future, {
    ...common,
    ...{ venueSymbol: 'BTCUSDT_260327', kind: 'future', title: 'BTCUSDT 2026-03-27' },
    ...{ tick: '0.1', expiresAt: EXPIRES_AT },
  });
});

test('the contracts of COIN-M are inverse and count in contracts of a fixed amount', async () => {
  const [btc, eth] = await readWith(coinm, ['BTCUSD_260327', 'ETHUSD_PERP']);
  assert.deepEqual(btc, {
    ...{ venueSymbol: 'BTCUSD_260327', kind: 'future', root: 'BTCUSD', base: 'BTC' },
    ...{ title: 'BTCUSD 2026-03-27, contracts of 100 USD', currency: 'USD', tick: '0.1' },
    ...{ lot: '1', pointValue: '1', isInverse: true, expiresAt: EXPIRES_AT },
    ...{ notTraded: null, calendar: null },
  });
  assert.equal(eth?.title, 'ETHUSD perpetual, contracts of 10 USD');
});

test('a contract that is not traded says why, and a new kind of perpetual is one', async () => {
  const change = (body: string) =>
    body
      .replace('"contractType":"PERPETUAL"', '"contractType":"TRADIFI_PERPETUAL"')
      .replace('"status":"TRADING"', '"status":"SETTLING"')
      .replace('"CURRENT_QUARTER"', '""');
  const [contract, coming] = await readWith(usdm, ['BTCUSDT', 'BTCUSDT_260327'], change);
  assert.equal(contract?.notTraded, 'its status at the venue is SETTLING');
  assert.deepEqual([coming?.kind, coming?.expiresAt], ['future', EXPIRES_AT]);
  assert.deepEqual([contract?.kind, contract?.expiresAt], ['perpetual', null]);
});

test('an unknown contract is refused with the nearest ones', async () => {
  const text = 'fapi.binance.com has no contract';
  for (const [symbol, near] of [
    ['btcusdt', ' Did you mean "BTCUSDT" or "BTCUSDT_260327"?'],
    ['BTCUSD', ' Did you mean "BTCUSDT" or "BTCUSDT_260327"?'],
    ['SHIBUSDT', ''],
    ['XYZ', ''],
  ] as const) {
    await assert.rejects(readWith(usdm, ['BTCUSDT', symbol]), (error) => {
      assert.ok(error instanceof VenueError && !error.isTemporary);
      assert.ok(error.message.startsWith(`${text} ${symbol}.`), error.message);
      if (symbol !== 'SHIBUSDT') assert.equal(error.message, `${text} ${symbol}.${near}`);
      return true;
    });
  }
});

test('a description that lacks something names it', async () => {
  for (const [from, to, field] of [
    ['"tickSize":"0.10"', '"tick":1', 'PRICE_FILTER.tickSize of BTCUSDT is nothing'],
    ['"LOT_SIZE"', '"LOT"', 'LOT_SIZE.stepSize of BTCUSDT is nothing'],
    ['"pair":', '"pairs":', 'pair of BTCUSDT is nothing'],
    ['"deliveryDate":4', '"deliveryDate":4000', 'deliveryDate of BTCUSDT is 4000133404800000'],
    ['"symbols":', '"list":', 'symbols is nothing'],
  ] as const) {
    await assert.rejects(
      readWith(usdm, ['BTCUSDT'], (body) => body.replace(from, to)),
      ({ message }: Error) => message.startsWith('fapi.binance.com') && message.endsWith(field),
    );
  }
});

test('a venue that cannot be reached is named with the reason', async () => {
  const settings = { addresses: coinm.addresses, key: null, venueDataset: null };
  const read = (answer: PageAnswer | Error) =>
    coinm.contracts(
      networkOf(() => answer),
      settings,
      ['BTCUSD_PERP'],
      signal,
    );
  const said = (status: number) => ({ status, headers: {}, body: '{"code":-1003,"msg":"x"}' });
  for (const [answer, isTemporary, text] of [
    [new Error('getaddrinfo ENOTFOUND'), true, /^dapi\.binance\.com cannot .*ENOTFOUND/],
    [said(451), false, /does not serve this country/],
    [said(429), true, /too many requests/],
  ] as const) {
    await assert.rejects(read(answer), (error) => {
      assert.ok(error instanceof VenueError);
      assert.match(error.message, text);
      assert.equal(error.isTemporary, isTemporary);
      return true;
    });
  }
});
