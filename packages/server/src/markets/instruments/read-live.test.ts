import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstruments } from './read-instruments.ts';
import { FaultsError } from './reading.ts';

const PRODUCT = { extends: 'crypto-perpetual', name: 'A coin', tick: '0.1', lot: '0.001' };

function textOf(live: object, product: object = PRODUCT): string {
  return JSON.stringify({
    datasets: { X: { live, products: { 'BTCUSDT.binance-usdm': product } } },
  });
}

function readLiveOf(live: object) {
  return readInstruments(textOf(live)).datasets[0]!.live;
}

function faultsOf(live: object, product?: object): string {
  try {
    readInstruments(textOf(live, product));
  } catch (error) {
    assert.ok(error instanceof FaultsError);
    return error.message;
  }
  return '';
}

test('a dataset of a venue has the venue’s addresses and grace unless the file has its own', () => {
  const { venue, addresses, keyFile, graceMs, gapAfterMs, ...rest } = readLiveOf({
    feed: 'binance-usdm',
  }) as Extract<ReturnType<typeof readLiveOf>, { source: 'venue' }>;
  assert.deepEqual(rest, { source: 'venue', venueDataset: null, backfillMs: 0 });
  assert.equal(venue, 'binance-usdm');
  assert.deepEqual(addresses, {
    stream: 'wss://fstream.binance.com/market',
    rest: 'https://fapi.binance.com',
  });
  assert.equal(keyFile, null);
  assert.ok(graceMs > 200, 'an aggregate trade comes up to 160 ms late');
  assert.equal(gapAfterMs, 900_000);
  assert.deepEqual(
    readLiveOf({
      feed: 'binance-usdm',
      addresses: { stream: 'ws://127.0.0.1:9001/market/' },
      graceMs: 1_000,
      gapAfterMinutes: 1,
      backfillHours: 24,
    }),
    {
      source: 'venue',
      venue: 'binance-usdm',
      addresses: { stream: 'ws://127.0.0.1:9001/market', rest: 'https://fapi.binance.com' },
      keyFile: null,
      venueDataset: null,
      backfillMs: 86_400_000,
      graceMs: 1_000,
      gapAfterMs: 60_000,
    },
  );
});

test('what is wrong with a feed names the field and what would do', () => {
  assert.match(
    faultsOf({ feed: 'binance-usd' }),
    /datasets\.X\.live\.feed is "binance-usd", which is no venue\. Did you mean "?binance-usdm"?\?/,
  );
  assert.match(faultsOf({ feed: 'nyse' }), /which is no venue\. There are binance-usdm, /);
  assert.match(faultsOf({ feed: 7 }), /live\.feed is "?7"?/);
  const address = (addresses: object) => faultsOf({ feed: 'binance-usdm', addresses });
  assert.match(address({ stream: 'https://x' }), /addresses\.stream .*wss:\/\/host\/path/);
  assert.match(address({ rest: 'wss://x' }), /addresses\.rest .*https:\/\/host/);
  assert.match(address({ rest: 'https://x?a=1' }), /addresses\.rest /);
  const secret = address({ rest: 'https://u:geheim@x', stream: 'wss://geheim@x' });
  assert.match(secret, /addresses\.stream has a password; .*addresses\.rest has a password;/s);
  assert.ok(!secret.includes('geheim'));
  assert.match(address({ rst: 'https://x' }), /addresses\.rst is not known/);
  assert.match(faultsOf({ feed: 'binance-usdm', backfillHours: 3_000 }), /backfillHours is "3000"/);
  assert.match(
    faultsOf({ feed: 'okx', keyFile: 'key' }),
    /live\.keyFile cannot be used: OKX swaps and futures has none/,
  );
  assert.match(
    faultsOf({ feed: 'okx', venueDataset: 'X' }),
    /live\.venueDataset cannot be used: OKX/,
  );
  assert.match(faultsOf({ feed: 'binance-usdm', source: 'push' }), /live\.source is not known/);
});

test('a contract may have another name at the venue', () => {
  const named = (product: object) => readInstruments(textOf({ feed: 'binance-usdm' }, product));
  const [contract] = named({ ...PRODUCT, venueSymbol: 'BTCUSDT' }).datasets[0]!.contracts;
  assert.equal(contract!.venueSymbol, 'BTCUSDT');
  assert.equal(named(PRODUCT).datasets[0]!.contracts[0]!.venueSymbol, undefined);
});
