import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS, DAY_NS_BIG } from '@tapeloom/core/units';
import { dayNumber, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { cutAt, type DbnReading, readDbn } from '../../../testing/feeds/dbn-reading.ts';
import { sample, samplesMissing } from '../../../testing/feeds/dbn-samples.ts';
import {
  DBN_SCHEMAS,
  type DbnHead,
  type DbnTrade,
  DbnWriter,
  encodeHead,
} from '../../../testing/feeds/dbn-writer.ts';
import { DbnDecoder } from './dbn-decoder.ts';
import { readDefinitions } from './dbn-definitions.ts';

const DAY = 20_201_228;
const MIDNIGHT = BigInt(dayNumber(utcDay(DAY))) * DAY_NS_BIG;
const NOON = MIDNIGHT + DAY_NS_BIG / 2n;
const UNDEFINED_PRICE = 2n ** 63n - 1n;
const LAST_TIME = 0x5fff_ffff_ffff_ffffn;
const UNDEFINED_TIME = 2n ** 64n - 1n;

const mapped = (name: string, id: number, fromDay = DAY, toDay = DAY + 1) => ({
  name,
  intervals: [{ fromDay, toDay, output: String(id) }],
});
const HEAD = { version: 3, schema: DBN_SCHEMAS.trades, mappings: [mapped('ESH1', 5_482)] } as const;

function aTrade(change: Partial<DbnTrade> = {}): DbnTrade {
  return {
    instrumentId: 5_482,
    event: NOON,
    price: 3_720_250_000_000n,
    size: 5,
    side: 'A',
    ...change,
  };
}

/** Reads a file with these trades. */
function readTrades(trades: readonly Partial<DbnTrade>[], head: Partial<DbnHead> = {}) {
  const writer = new DbnWriter({ ...HEAD, ...head });
  for (const change of trades) writer.trade(aTrade(change));
  return readDbn([writer.bytes]);
}

function refusalOf(bytes: Uint8Array): string {
  const { refusal, trades } = readDbn([bytes]);
  assert.deepEqual(trades, []);
  return refusal ?? 'was read';
}

const rows = ({ trades }: DbnReading) => trades.map(({ row }) => row);
const symbols = ({ trades }: DbnReading) => trades.map(({ symbol }) => symbol);

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
    /byte 24 .* schema is definition, .* read: trades, tbbo, mbp-1, mbp-10, mbo\./,
  );
  assert.match(refusalOf(sample('multi-frame.definition.v1.dbn.frag.zst')), /byte 0 .* fragment/);
});

test('what is no DBN file says what it is', () => {
  const text = (words: string) => new TextEncoder().encode(words);
  assert.match(refusalOf(new Uint8Array()), /empty: it has 0 bytes/);
  assert.match(refusalOf(text('ts_event,price\n')), /no DBN file: .* byte 0 stands 74 73 5f 65/);
  assert.match(refusalOf(text('D')), /no DBN file/);
  assert.match(refusalOf(Uint8Array.of(0x51, 0x2a, 0x4d, 0x18, 0, 0, 0, 0)), /byte 0 .*\.dbz/);
  assert.match(refusalOf(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0)), /byte 0 .*zstd/);
  assert.match(refusalOf(Uint8Array.of(12, 0, 1, 0, 0, 0, 0, 0)), /a trades record .*\.frag/);
  const head = encodeHead(HEAD);
  assert.match(refusalOf(head.with(3, 4)), /byte 3 .* version 4; versions 1, 2 and 3/);
  assert.match(refusalOf(head.with(3, 0)), /version 0/);
  assert.match(refusalOf(head.with(24, 5)), /schema is ohlcv-1s/);
  assert.match(refusalOf(head.with(24, 99)), /schema is unknown \(number 99\)/);
});

test('lengths and counts that lie are refused where they stand', () => {
  const head = encodeHead({ ...HEAD, symbols: ['ESH1'] });
  const lying = (at: number, value: number) => {
    const bytes = head.slice();
    new DataView(bytes.buffer).setUint32(at, value, true);
    return refusalOf(bytes);
  };
  assert.match(lying(4, 99), /byte 4 .* metadata have 99 bytes/);
  assert.match(lying(4, 0xffff_ffff), /byte 4 .* 4294967295 bytes/);
  assert.match(lying(4, 200_000_000), /cut: it ends at byte \d+, inside its head/);
  assert.match(lying(112, 0xffff_ffff), /byte 112 .* 4294967295 symbols/);
  assert.match(lying(4, 100), /metadata end at byte 108, before their fixed part/);
  assert.match(lying(4, 110), /metadata end at byte 118/);
  const mappingsAt = 112 + 4 + 71 + 4 + 4;
  assert.match(lying(mappingsAt, 1_000_000), /1000000 mappings/);
  assert.match(lying(mappingsAt + 4 + 71, 77), /77 intervals of a mapping/);
  const short = head.slice();
  new DataView(short.buffer).setUint16(53, 0, true);
  assert.match(refusalOf(short), /byte 53 .* symbols have 0 bytes/);
});

test('a metadata length that lies takes no memory', () => {
  const prelude = Uint8Array.of(0x44, 0x42, 0x4e, 3, 0, 0, 0, 8);
  const before = process.memoryUsage().arrayBuffers;
  const decoder = new DbnDecoder();
  for (const _ of decoder.push(prelude));
  for (const _ of decoder.push(new Uint8Array(1_000)));
  assert.ok(process.memoryUsage().arrayBuffers - before < 4_000_000);
  assert.throws(() => decoder.end(), /inside its head/);
});

test('records with a length that cannot be are refused with their number and place', () => {
  const good = new DbnWriter(HEAD).trade(aTrade()).bytes;
  const start = encodeHead(HEAD).length;
  for (const [words, sentence] of [
    [0, /at byte 280 says that it has 0 bytes/],
    [3, /has 12 bytes; every record has 16 or more/],
    [4, /Record 1 at byte 280 has 16 bytes; trades records have 48/],
    [13, /cut: .* begins at byte 280 and has 52 bytes/],
  ] as const) {
    const { refusal, row } = readDbn([good.with(start, words)]);
    assert.match(refusal!, new RegExp(sentence.source.replace('280', String(start))));
    assert.equal(row, 1);
  }
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

test('what no DBN file can have is refused with its record', () => {
  for (const [change, sentence] of [
    [{ price: 2n ** 53n }, /Record 2 at byte \d+ has the price 9007199254740992 in 1e-9/],
    [{ price: -(2n ** 63n) }, /has the price -9223372036854775808/],
    [{ event: LAST_TIME + 1n }, /has the time 6917529027641081856, which is 2189 or later/],
    [{ side: 'X' }, /has the side X; A, B and N/],
    [{ action: 'Z' }, /has the action Z/],
    [{ action: '\0' }, /has the action 0x00/],
  ] as const) {
    const { refusal, row } = readTrades([{}, change]);
    assert.match(refusal!, sentence);
    assert.equal(row, 2);
  }
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
    // Found at the same place as 1.
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

test('an id is named by the day of its capture', () => {
  const mappings = [
    { name: 'ESH1', intervals: [{ fromDay: DAY, toDay: DAY + 1, output: '7' }] },
    {
      name: 'NQH1',
      intervals: [
        { fromDay: DAY + 1, toDay: DAY + 2, output: '7' },
        { fromDay: DAY, toDay: DAY + 1, output: '8' },
        { fromDay: DAY + 2, toDay: DAY + 3, output: '' },
      ],
    },
  ];
  const late = MIDNIGHT + DAY_NS_BIG - 1n;
  const reading = readTrades(
    [
      { instrumentId: 7 },
      { instrumentId: 8 },
      { instrumentId: 7, event: late, received: late },
      { instrumentId: 7, event: late, received: late + 1n },
      { instrumentId: 7, event: late, received: UNDEFINED_TIME },
      { instrumentId: 9 },
      { instrumentId: 7, event: late + 2n * DAY_NS_BIG },
    ],
    { mappings },
  );
  assert.deepEqual(symbols(reading), ['ESH1', 'NQH1', 'ESH1', 'NQH1', 'ESH1', null, null]);
  assert.deepEqual(
    reading.decoder.instruments.map(({ instrumentId }) => instrumentId),
    [7, 8, 9, 7],
  );
});

test('two names for one id on one day are refused', () => {
  const { refusal } = readTrades([{ instrumentId: 7 }], {
    mappings: [mapped('ESH1', 7), mapped('ESM1', 7)],
  });
  assert.match(refusal!, /call instrument 7 both ESH1 and ESM1 on 20201228/);
});

test('spreads and options are left out by name', () => {
  const names = ['ESH1', 'ESH1-ESM1', 'GEM3 P9812', 'BRN FMH0025!', 'UD:1V: GN 123'];
  const reading = readTrades(
    [1, 2, 2, 3, 4, 5, 1].map((instrumentId) => ({ instrumentId })),
    { nameKindIn: 4, mappings: names.map((name, index) => mapped(name, index + 1)) },
  );
  assert.deepEqual(symbols(reading), ['ESH1', 'BRN FMH0025!', 'ESH1']);
  assert.deepEqual(reading.counts, {
    'trades of ESH1-ESM1, a spread': 2,
    'trades of GEM3 P9812, an option': 1,
    'trades of UD:1V: GN 123, a spread': 1,
  });
});

test('an order by a continuous name has symbols only by definitions, which also tell what is a future', () => {
  const definitions = readDefinitions(
    new DbnWriter({ version: 2, schema: DBN_SCHEMAS.definition })
      .definition({ instrumentId: 1, rawSymbol: 'ESH1', instrumentClass: 'F' })
      .definition({ instrumentId: 2, rawSymbol: 'MSFT', instrumentClass: 'K' }).bytes,
  );
  const head = { ...HEAD, nameKindIn: 3, mappings: [mapped('ES.c.0', 1)] };
  const writer = new DbnWriter(head);
  for (const instrumentId of [1, 2, 3]) writer.trade(aTrade({ instrumentId }));
  const without = readDbn([writer.bytes]);
  assert.deepEqual(symbols(without), [null, null, null]);
  assert.equal(without.decoder.instruments[0]!.orderedAs, 'ES.c.0');
  const reading = readDbn([writer.bytes], { definitions });
  assert.deepEqual(symbols(reading), ['ESH1', null]);
  assert.deepEqual(reading.counts, { 'trades of MSFT, a stock': 1 });
});

test('a definition names an id only while the instrument lives, the newest one of its day first', () => {
  const definition = (rawSymbol: string, day: bigint, lastDay: bigint) => ({
    instrumentId: 1,
    rawSymbol,
    instrumentClass: 'F',
    received: (MIDNIGHT + day * DAY_NS_BIG) as EpochNs,
    activation: (MIDNIGHT - 9n * DAY_NS_BIG) as EpochNs,
    expiration: (MIDNIGHT + lastDay * DAY_NS_BIG) as EpochNs,
  });
  const writer = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.definition });
  writer.definition(definition('OLD', -5n, -1n)).definition(definition('NOW', -2n, 9n));
  writer.definition(definition('NEXT', 3n, 9n));
  const definitions = readDefinitions(writer.bytes);
  const trades = new DbnWriter({ ...HEAD, mappings: [] });
  for (const days of [-3n, 0n, 4n, 11n]) {
    trades.trade(aTrade({ instrumentId: 1, event: NOON + days * DAY_NS_BIG }));
  }
  const reading = readDbn([trades.bytes], { definitions });
  assert.deepEqual(symbols(reading), ['OLD', 'NOW', 'NEXT', null]);
});

test('a live capture names its ids by mapping records, from there on', () => {
  for (const version of [1, 2, 3] as const) {
    const writer = new DbnWriter({ version, schema: DBN_SCHEMAS.mixed, nameKindIn: 0xff });
    writer.trade(aTrade()).mapping(aTrade(), 'ES.c.0', 'ESH1').other(0x17, 320, aTrade());
    writer.trade(aTrade()).mapping(aTrade(), 'ES.c.0', 'ESM1').trade(aTrade());
    const reading = readDbn([writer.other(0x77, 16, aTrade()).trade(aTrade()).bytes]);
    assert.deepEqual(symbols(reading), [null, 'ESH1', 'ESM1', 'ESM1']);
    assert.deepEqual(rows(reading), [1, 4, 6, 8]);
    assert.deepEqual(reading.counts, {
      'system records': 1,
      'records of the unknown type 119': 1,
    });
  }
});

test('a capture of several schemas is refused where a trade would come twice', () => {
  const writer = new DbnWriter({ ...HEAD, schema: DBN_SCHEMAS.mixed });
  writer
    .book(aTrade({ action: 'A' }), [])
    .trade(aTrade())
    .book(aTrade(), []);
  const { refusal, row } = readDbn([writer.bytes]);
  assert.match(refusal!, /Record 3 .* trade in a mbp-1 record, .* trades records/);
  assert.equal(row, 3);
});

test('files that were put behind each other are refused', () => {
  const { bytes } = new DbnWriter(HEAD).trade(aTrade());
  const { refusal } = readDbn([bytes, bytes]);
  assert.match(refusal!, /Record 2 at byte \d+ is the head of another DBN file/);
});

test('names with letters that cannot be shown are refused', () => {
  const { refusal } = readTrades([{}], { mappings: [mapped('ES\x1b[2J', 5_482)] });
  assert.match(refusal!, /byte \d+ has the byte 0x1b/);
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

test('after a refusal nothing more is taken', () => {
  const decoder = new DbnDecoder();
  const push = (bytes: Uint8Array) => [...decoder.push(bytes)];
  assert.throws(() => push(new Uint8Array(8)), /no DBN file/);
  assert.throws(() => push(new DbnWriter(HEAD).bytes), /refused/);
  assert.throws(() => decoder.end(), /refused/);
});
