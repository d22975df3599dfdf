import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import { recording, recordingsMissing } from '../../../../testing/live/recorded-messages.ts';
import type { FeedContract } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { okxKind } from './okx-venue.ts';

const contract = (venueSymbol: string, tickSizeNanos: number, lotSizeNanos: number) =>
  ({ symbol: venueSymbol, venueSymbol, tickSizeNanos, lotSizeNanos, hours: null }) as FeedContract;
const contracts = [
  contract('BTC-USD-220527', 100_000_000, 1_000_000_000),
  contract('UNI-USD-SWAP', 1_000_000, 1_000_000_000),
  contract('BTC-USDT', 100_000_000, 10),
];

// The recording is of the channel `trades`. Of `trades-all` there is none: its messages have the same rows and another
// name of the channel, which is replaced here.
test('recorded trades of OKX have numbers without holes, and are on their grid', {
  skip: recordingsMissing,
}, () => {
  const venue = okxKind.open({ addresses: okxKind.addresses, key: null, venueDataset: null });
  const reader = readerOf(venue, contracts);
  const found = new Map<string, FeedTrade[]>();
  for (const message of recording('okx-trades-2022')) {
    const text = JSON.stringify(message).replace('"channel":"trades"', '"channel":"trades-all"');
    for (const reading of reader.read(text)) {
      assert.ok(reading.kind === 'subscribed' || reading.kind === 'trades', text);
      if (reading.kind !== 'trades') continue;
      found.getOrInsertComputed(reading.symbol, () => []).push(...reading.trades);
    }
  }
  assert.deepEqual(
    [...found].map(([symbol, trades]) => [symbol, trades.length]),
    [
      ['BTC-USD-220527', 4],
      ['UNI-USD-SWAP', 1],
      ['BTC-USDT', 69],
    ],
  );
  for (const trades of found.values()) {
    for (const [row, { id, price, size, side }] of trades.entries()) {
      assert.equal(id, trades[0]!.id + row);
      assert.ok(Number.isInteger(price) && Number.isInteger(size) && Math.abs(side) === 1);
    }
  }
});
