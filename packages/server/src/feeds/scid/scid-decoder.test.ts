import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { plainTrades, type ReadTrade } from '../../../testing/feeds/plain-trades.ts';
import { type ScidRecord, scidFile } from '../../../testing/feeds/scid-file.ts';
import { FeedError } from '../feed-trades.ts';
import { openFeed } from '../open-feed.ts';
import { ScidDecoder } from './scid-decoder.ts';

const US = 1_773_153_000_123_456n;
const trade: ScidRecord = { us: US, price: 5_000.25, bidVolume: 0, askVolume: 2 };

async function read(bytes: Uint8Array, path = 'ESH26_FUT_CME.scid') {
  const feed = await openFeed(memorySource(bytes), path, {});
  const trades: ReadTrade[] = [];
  for await (const batch of feed.trades()) {
    trades.push(...plainTrades(batch, [{ symbol: feed.nameOf(0), skipped: null }]));
  }
  return { trades, counts: Object.fromEntries(feed.counts()), format: feed.format() };
}

async function refused(bytes: Uint8Array, sentence: RegExp): Promise<void> {
  await assert.rejects(
    read(bytes),
    (error) => error instanceof FeedError && sentence.test(error.message),
  );
}

test('single trades are read, with the side of their volume and the symbol of the file’s name', async () => {
  const { trades, counts, format } = await read(
    scidFile([
      trade,
      { ...trade, us: US + 1n, price: 5_000, bidVolume: 3, askVolume: 0, open: -1.99900095e37 },
      { ...trade, us: US + 86_400_000_000n, bidVolume: 1, askVolume: 1 },
      { ...trade, us: US + 86_400_000_001n, bidVolume: 0, askVolume: 0, volume: 0 },
      { ...trade, us: US + 86_400_000_002n, bidVolume: 0, askVolume: 0, volume: 4 },
    ]),
  );
  const ns = (us: bigint) => (US + us) * 1_000n;
  assert.deepEqual(trades, [
    { symbol: 'ESH26', ts: ns(0n), price: '5000.25', size: '2', side: 1, row: 1 },
    { symbol: 'ESH26', ts: ns(1n), price: '5000', size: '3', side: -1, row: 2 },
    { symbol: 'ESH26', ts: ns(86_400_000_000n), price: '5000.25', size: '2', side: 0, row: 3 },
    { symbol: 'ESH26', ts: ns(86_400_000_002n), price: '5000.25', size: '4', side: 0, row: 5 },
  ]);
  assert.deepEqual(counts, { 'size zero': 1 });
  assert.equal(format, 'SCID');
});

test('a price of 32 bits is the decimal that it was made of', async () => {
  const prices = [
    '1.08505',
    '0.0066935',
    '67123.1',
    '21000.25',
    '117.484375',
    '110.0078125',
    '2.731',
  ];
  const records = prices.map((price) => ({ ...trade, price: Number(price) }));
  const { trades } = await read(scidFile(records));
  assert.deepEqual(
    trades.map(({ price }) => price),
    prices,
  );
});

test('however the file is cut into pieces, the trades are the same', () => {
  const records = Array.from({ length: 300 }, (_, index) => ({
    ...trade,
    us: US + BigInt(index) * 700_000_000n,
    price: 5_000 + (index % 40) / 4,
  }));
  const bytes = scidFile(records);
  const readIn = (pieceBytes: number) => {
    const decoder = new ScidDecoder();
    const trades: ReadTrade[] = [];
    const instruments = [{ symbol: null, skipped: null }];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const batch of decoder.push(bytes.slice(at, at + pieceBytes))) {
        trades.push(...plainTrades(batch, instruments));
      }
    }
    for (const batch of decoder.finish()) trades.push(...plainTrades(batch, instruments));
    return trades;
  };
  const whole = readIn(bytes.length);
  assert.equal(whole.length, 300);
  for (const pieceBytes of [1, 39, 41, 97, 4_096]) assert.deepEqual(readIn(pieceBytes), whole);
});

test('bars, cut files, other records and times of old versions are refused with a reason', async () => {
  await refused(
    scidFile([trade, { ...trade, open: 5_000, trades: 12 }]),
    /Record 2 is a bar.*1 Tick/,
  );
  await refused(scidFile([{ ...trade, trades: 2 }]), /Record 1 is a bar/);
  const file = scidFile([trade, trade]);
  for (const end of [10, 60, file.length - 1]) {
    await refused(file.subarray(0, end), /The SCID file is cut/);
  }
  const other = Uint8Array.from(file);
  other[8] = 32;
  await refused(other, /a record 32/);
  const old = Buffer.from(file);
  old.writeDoubleLE(45_000.5, 56);
  await refused(old, /Record 1 has a time before 1973 or after 9999/);
  await refused(scidFile([{ ...trade, price: Number.NaN }]), /has the price NaN/);
});
