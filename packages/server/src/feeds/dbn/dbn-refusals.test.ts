import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDbn } from '../../../testing/feeds/dbn-reading.ts';
import {
  aTrade,
  HEAD,
  LAST_TIME,
  readTrades,
  refusalOf,
} from '../../../testing/feeds/dbn-trades.ts';
import { DBN_SCHEMAS, DbnWriter, encodeHead } from '../../../testing/feeds/dbn-writer.ts';
import { DbnDecoder } from './dbn-decoder.ts';

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

test('after a refusal nothing more is taken', () => {
  const decoder = new DbnDecoder();
  const push = (bytes: Uint8Array) => [...decoder.push(bytes)];
  assert.throws(() => push(new Uint8Array(8)), /no DBN file/);
  assert.throws(() => push(new DbnWriter(HEAD).bytes), /refused/);
  assert.throws(() => decoder.end(), /refused/);
});
