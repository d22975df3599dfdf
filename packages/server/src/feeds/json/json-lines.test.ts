import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { plainTrades, type ReadTrade } from '../../../testing/feeds/plain-trades.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import { type FeedHints, openFeed } from '../open-feed.ts';

const NS = 1_773_153_000_123_456_789n;

async function read(text: string | Uint8Array, hints: FeedHints = {}) {
  const feed = await openFeed(memorySource(Buffer.from(text)), 'trades.jsonl', hints);
  const trades: ReadTrade[] = [];
  for await (const batch of feed.trades()) {
    const instruments = Array.from({ length: feed.instrumentCount() }, (_, index) => {
      return { symbol: feed.nameOf(index), skipped: null };
    });
    trades.push(...plainTrades(batch, instruments));
  }
  return { trades, format: feed.format(), mapping: feed.mapping };
}

async function refused(text: string, sentence: RegExp, hints: FeedHints = {}): Promise<void> {
  await assert.rejects(
    read(text, hints),
    (error) => error instanceof FeedError && sentence.test(error.message),
  );
}

test('objects line by line are read by the names of their fields, with all digits', async () => {
  const lines = [
    `{"ts": ${NS}, "price": 5000.25, "size": 2, "side": "buy", "symbol": "ESH6"}`,
    '',
    `{"symbol": "NQH6", "size": 1, "ts": ${NS + 1n}, "side": "sell", "price": "17500.5", "more": [1]}`,
  ];
  const expected = [
    { symbol: 'ESH6', ts: NS, price: '5000.25', size: '2', side: 1, row: 1 },
    { symbol: 'NQH6', ts: NS + 1n, price: '17500.5', size: '1', side: -1, row: 3 },
  ];
  for (const text of [lines.join('\n'), `\ufeff${lines.join('\r\n')}\r\n`]) {
    const { trades, format } = await read(text);
    assert.deepEqual(trades, expected);
    assert.equal(format, 'JSON lines');
  }
  const packed = await read(gzipSync(lines.join('\n')));
  assert.deepEqual(packed.trades, expected);
  assert.equal(packed.format, 'JSON lines, packed with gzip');
});

test('a field inside of an object is named with dots, also in a mapping that is given', async () => {
  const line = `{"e":"trade","d":{"T":1773153000123,"p":"67012.50","q":"0.004","m":true,"s":"BTC, \\"x\\""}}`;
  const mapping: CsvMapping = {
    time: { kind: 'epoch', column: 'd.T', unit: 'ms' },
    price: { column: 'd.p', decimals: 0 },
    size: { column: 'd.q', decimals: 0 },
    side: { kind: 'words', column: 'd.m', buy: ['false'], sell: ['true'], unknown: [] },
    symbol: { column: 'd.s', isFuturesOnly: false },
    drop: [{ column: 'e', words: ['trade'], when: 'is-not', as: 'other messages' }],
    delimiter: '\t',
    hasHeader: false,
    decimalSign: ',',
  };
  const { trades } = await read(`${line}\n{"e":"quote"}\n`, { mapping });
  assert.deepEqual(trades, [
    {
      symbol: 'BTC, "x"',
      ts: 1_773_153_000_123_000_000n,
      price: '67012.5',
      size: '0.004',
      side: -1,
      row: 1,
    },
  ]);
});

test('what the fields are taken for is a mapping by their names', async () => {
  const { mapping } = await read(
    '{"timestamp":1773153000123,"amount":"0.5","price":"67012.5","side":"sell"}\n',
  );
  assert.equal(mapping?.size.column, 'amount');
  assert.deepEqual(mapping?.time, { kind: 'epoch', column: 'timestamp', unit: 'by-digits' });
});

test('a line that is no object is refused with its row, and so are a list and a line without an end', async () => {
  const good = `{"ts":${NS},"price":1,"size":2}\n`;
  await refused(`${good}{"ts":12,\n`, /Row 2 is no JSON object.*one object a line/s);
  await refused(`${good}${good}5\n`, /Row 3 is no JSON object: 5/);
  await refused(`[${good}]`, /Row 1 is no JSON object.*jq/s);
  await refused(`[[${NS},"1",null,"buy",1,2]]`, /no JSON object.*jq -r '\.\[\] \| @csv'/s);
  await refused(`[\n  {\n    "ts": 1\n  }\n]\n`, /Row 1 is no JSON object/);
  await refused(`${good}{"ts":1,"price":"${'9'.repeat(70_000)}"}\n`, /more than 65536 bytes/);
  await refused(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}\n`, /no JSON object|not clear/);
  const { mapping } = await read(good);
  const broken = `${good}\n{"ts":${NS},"price":"x","size":2}\n`;
  await refused(broken, /Row 3 has.*price/, { mapping: mapping! });
});
