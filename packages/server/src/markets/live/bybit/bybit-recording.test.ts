import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readerOf } from '../../../../testing/live/reader-of.ts';
import { recording, recordingsMissing } from '../../../../testing/live/recorded-messages.ts';
import type { FeedContract } from '../feed.ts';
import { bybitLinearKind } from './bybit-venue.ts';

const contract = (venueSymbol: string, tickSizeNanos: number, lotSizeNanos: number) =>
  ({ symbol: venueSymbol, venueSymbol, tickSizeNanos, lotSizeNanos, hours: null }) as FeedContract;
// The recording has linear contracts first, and then spot, whose lots are finer.
const contracts = [
  contract('BTCUSDT', 100_000_000, 1_000),
  contract('ETHUSDT', 10_000_000, 1_000),
  contract('SOLUSDT', 1_000_000, 1_000),
  contract('DOGEUSDT', 1_000, 1_000_000_000),
];

test('recorded trades of Bybit have unlike texts and are on their grid', {
  skip: recordingsMissing,
}, () => {
  const venue = bybitLinearKind.open({
    addresses: bybitLinearKind.addresses,
    key: null,
    venueDataset: null,
  });
  const reader = readerOf(venue, contracts);
  const acknowledged = JSON.stringify({ success: true, ret_msg: '', op: 'subscribe' });
  for (const _ of contracts) reader.read(acknowledged);
  const readings = recording('bybit-publictrade-2026').flatMap((message) =>
    reader.read(JSON.stringify(message)),
  );
  const trades = readings.flatMap((reading) => {
    assert.equal(reading.kind, 'trades');
    return reading.kind === 'trades' ? reading.trades : [];
  });
  assert.equal(trades.length, 347);
  assert.equal(new Set(trades.map(({ key }) => key)).size, 347);
  assert.deepEqual(new Set(trades.map(({ side }) => side)), new Set([1, -1]));
  for (const { price, size } of trades) {
    assert.ok(Number.isInteger(price) && Number.isInteger(size), `${price} ${size}`);
  }
});
