import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_NS, DAY_NS_BIG } from '@tapeloom/core/units';
import { dayNumber, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { cutAt, readDbn } from '../../../testing/feeds/dbn-reading.ts';
import { sample, samplesMissing } from '../../../testing/feeds/dbn-samples.ts';
import {
  aTrade,
  DAY,
  HEAD,
  LAST_TIME,
  MIDNIGHT,
  mapped,
  NOON,
  readTrades,
  refusalOf,
  rows,
  UNDEFINED_PRICE,
  UNDEFINED_TIME,
} from '../../../testing/feeds/dbn-trades.ts';
import { DBN_SCHEMAS, DbnWriter } from '../../../testing/feeds/dbn-writer.ts';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { openFeed } from '../open-feed.ts';
import { DbnDecoder } from './dbn-decoder.ts';

test('the trades of real files of every version, and those inside tbbo', {
  skip: samplesMissing,
}, () => {
  const price = 3_720_250_000_000;
  const first = { symbol: 'ESH1', day: DAY, ns: 46_800_098_821_953, price, size: 5, side: -1 };
  const second = { ...first, ns: 46_800_107_665_963, size: 21 };
  for (const name of [
    'trades.dbn',
    'trades.v1.dbn.zst',
    'trades.v2.dbn.zst',
    'trades.v3.dbn.zst',
    'tbbo.v3.dbn.zst',
  ]) {
    const { trades, refusal, counts, decoder } = readDbn([sample(`test_data.${name}`)]);
    assert.deepEqual(trades, [
      { ...first, row: 1 },
      { ...second, row: 2 },
    ]);
    assert.equal(refusal, null);
    assert.deepEqual(counts, {});
    assert.equal(decoder.metadata!.dataset, 'GLBX.MDP3');
    assert.equal(decoder.metadata!.limit, 2n);
    assert.deepEqual(decoder.instruments, [
      { symbol: 'ESH1', skipped: null, instrumentId: 5_482, orderedAs: null },
    ]);
  }
});

test('real files without trades: book records are counted, others say what they are', {
  skip: samplesMissing,
}, () => {
  const book = readDbn([sample('test_data.mbp-1.v3.dbn.zst')]);
  assert.equal(book.refusal, null);
  assert.deepEqual(book.counts, { 'book records without a trade': 2 });
  assert.match(
    refusalOf(sample('test_data.definition.v3.dbn.zst')),
    /byte 24 .* schema is definition, .* read: trades, tbbo, mbp-1, mbp-10, mbo, cmbp-1, tcbbo\./,
  );
  assert.match(refusalOf(sample('multi-frame.definition.v1.dbn.frag.zst')), /byte 0 .* fragment/);
});

test('of mbo, mbp-1 and mbp-10 only action T counts, never F', () => {
  const actions = [...'ATFCTFFMRN'];
  const orders = new DbnWriter({ ...HEAD, schema: DBN_SCHEMAS.mbo });
  const books = new DbnWriter({ ...HEAD, schema: DBN_SCHEMAS['mbp-1'] });
  const deep = new DbnWriter({ ...HEAD, schema: DBN_SCHEMAS['mbp-10'] });
  for (const [index, action] of actions.entries()) {
    const price = action === 'R' ? UNDEFINED_PRICE : -BigInt(index);
    const record = aTrade({ action, price, size: index, side: index === 4 ? 'B' : 'N' });
    orders.order(record);
    books.book(record, []);
    deep.book(record, [], 10);
  }
  for (const writer of [orders, books, deep]) {
    const { trades, counts, refusal } = readDbn([writer.bytes]);
    assert.equal(refusal, null);
    const told = trades.map(({ price, size, side, row }) => [price, size, side, row]);
    assert.deepEqual(told, [
      [-1, 1, 0, 2],
      [-4, 4, 1, 5],
    ]);
    assert.deepEqual(counts, { 'book records without a trade': 8 });
  }
});

test('records that say when they were sent are read too, also where the head does not tell', () => {
  const writer = new DbnWriter({ ...HEAD, hasSent: true }).trade(aTrade()).trade(aTrade());
  const { bytes } = writer;
  assert.deepEqual(rows(readDbn([bytes])), [1, 2]);
  assert.deepEqual(rows(readDbn([bytes.with(52, 0)])), [1, 2]);
});

test('zero and negative prices are prices; what is undefined or of size 0 is left out and counted', () => {
  const reading = readTrades([
    { price: 0n },
    { price: -37_630_000_000n },
    { price: UNDEFINED_PRICE },
    { event: UNDEFINED_TIME },
    { size: 0xffff_ffff },
    { size: 0 },
    { size: 0xffff_fffe },
    { price: 2n ** 53n - 1n },
    { price: 1n - 2n ** 53n },
  ]);
  assert.equal(reading.refusal, null);
  assert.deepEqual(
    reading.trades.map(({ price, size, row }) => [price, size, row]),
    [
      [0, 5, 1],
      [-37_630_000_000, 5, 2],
      [3_720_250_000_000, 0xffff_fffe, 7],
      [Number.MAX_SAFE_INTEGER, 5, 8],
      [Number.MIN_SAFE_INTEGER, 5, 9],
    ],
  );
  assert.deepEqual(reading.counts, {
    'trades without a price': 1,
    'trades without a time': 1,
    'trades without a size': 1,
    'trades of size 0': 1,
  });
});

test('the order of the file stays, also where times go backwards or over midnight', () => {
  const events = [0n, -1n, DAY_NS_BIG - 1n, DAY_NS_BIG, 5_000_000_000n, 3n, DAY_NS_BIG + 9n];
  const { trades } = readTrades(events.map((event) => ({ event: MIDNIGHT + event })));
  assert.deepEqual(
    trades.map(({ day, ns }) => [day, ns]),
    [
      [20_201_228, 0],
      [20_201_227, DAY_NS - 1],
      [20_201_228, DAY_NS - 1],
      [20_201_229, 0],
      [20_201_228, 5_000_000_000],
      [20_201_228, 3],
      [20_201_229, 9],
    ],
  );
});

test('property: times, prices and sizes are exact, whatever the pieces', () => {
  const trade = fc.record({
    instrumentId: fc.constantFrom(5_482, 5_482 + 1_024, 0, 0xffff_ffff),
    event: fc.bigInt(0n, LAST_TIME),
    received: fc.oneof(fc.bigInt(0n, UNDEFINED_TIME), fc.constant(NOON)),
    price: fc.bigInt(-(2n ** 53n) + 1n, 2n ** 53n - 1n),
    size: fc.integer({ min: 1, max: 0xffff_fffe }),
    side: fc.constantFrom('A', 'B', 'N'),
  });
  const near = trade.map((it) => ({ ...it, event: MIDNIGHT + (it.event % (2n * DAY_NS_BIG)) }));
  const last = trade.map((it) => {
    const event = LAST_TIME - (it.event % DAY_NS_BIG);
    return { ...it, event, received: event };
  });
  const version = fc.constantFrom(1, 2, 3) as fc.Arbitrary<1 | 2 | 3>;
  const list = fc.array(fc.oneof(trade, near, last), { maxLength: 40 });
  const places = fc.array(fc.nat(3_000), { maxLength: 12 });
  fc.assert(
    fc.property(version, list, places, (version, trades, places) => {
      const writer = new DbnWriter({ version, schema: DBN_SCHEMAS.trades });
      for (const one of trades) writer.trade(one);
      const { bytes } = writer;
      const reading = readDbn(
        cutAt(
          bytes,
          places.filter((place) => place < bytes.length),
        ),
      );
      assert.equal(reading.refusal, null);
      const told = reading.trades.map(({ day, ns, price, size, side }) => ({
        event: BigInt(dayNumber(utcDay(day))) * DAY_NS_BIG + BigInt(ns),
        price: BigInt(price),
        size,
        side: 'ANB'[side + 1],
      }));
      assert.deepEqual(
        told,
        trades.map(({ event, price, size, side }) => ({ event, price, size, side })),
      );
    }),
  );
});

test('instruments that take turns, one by one or in runs, keep their own trades, whatever the pieces', () => {
  const ids = [1, 1, 1, 2, 1, 2, 3, 3, 2, 2, 2, 2, 1, 3, 1, 1_025, 1, 1_025, 1_025, 1, 1];
  const names = new Map([
    [1, 'ESH1'],
    [2, 'ESM1'],
    [3, 'NQH1'],
    // Hashed to the same slot as 1.
    [1_025, 'NQM1'],
  ]);
  const writer = new DbnWriter({
    ...HEAD,
    mappings: [...names].map(([id, name]) => mapped(name, id)),
  });
  for (const [place, instrumentId] of ids.entries()) {
    writer.trade(aTrade({ instrumentId, event: NOON + BigInt(place), size: place + 1 }));
  }
  const wanted = ids.map((id, place) => [names.get(id), place + 1, place + 1]);
  const { bytes } = writer;
  for (const length of [1, 7, 48, 100, 1_000, bytes.length]) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.slice(at, at + length));
    const { trades, refusal } = readDbn(pieces);
    assert.equal(refusal, null);
    assert.deepEqual(
      trades.map(({ symbol, size, row }) => [symbol, size, row]),
      wanted,
    );
  }
});

test('batches are bounded and together have every trade once', () => {
  const writer = new DbnWriter(HEAD);
  for (let size = 1; size <= 5_000; size += 1) writer.trade(aTrade({ size }));
  const decoder = new DbnDecoder();
  const sizes: number[] = [];
  for (const batch of decoder.push(writer.bytes)) {
    assert.ok(batch.count <= 2_048);
    sizes.push(...batch.sizes.subarray(0, batch.count));
  }
  decoder.end();
  assert.deepEqual(
    sizes,
    Array.from({ length: 5_000 }, (_, index) => index + 1),
  );
});

test('a capture of several schemas gives each trade once, of the records that have it best, by instrument', async () => {
  const writer = new DbnWriter({ ...HEAD, schema: DBN_SCHEMAS.mixed, nameKindIn: 0xff });
  const [one, two] = [aTrade(), aTrade({ instrumentId: 77 })];
  writer
    .book(one, [])
    .trade(one)
    .order({ ...one, orderId: 1n })
    .order({ ...two, orderId: 2n });
  const file = memorySource(writer.bytes);
  const feed = await openFeed(file, 'capture.dbn', {});
  const trades = (await Array.fromAsync(feed.trades(), ({ count }) => count)).reduce(
    (sum, count) => sum + count,
    0,
  );
  assert.deepEqual([trades, feed.instrumentCount()], [2, 2]);
  assert.equal(feed.counts().get('trades in mbp-1 records, which other records have too'), 1);
  assert.equal(feed.counts().get('trades in mbo records, which other records have too'), 1);
});

test('trades of consolidated books are read: cmbp-1 and tcbbo', () => {
  for (const [schema, rtype] of [
    [14, 0xb1],
    [17, 0xc2],
  ] as const) {
    const writer = new DbnWriter({ ...HEAD, schema }).book(aTrade(), []);
    const bytes = Uint8Array.from(writer.bytes);
    // Like an mbp-1 record, except for its type.
    bytes[bytes.length - 80 + 1] = rtype;
    const { trades, refusal } = readDbn([bytes]);
    assert.deepEqual([trades.length, refusal], [1, null]);
  }
});
