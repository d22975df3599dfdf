import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { binanceText, type PlainTrade } from '../../../testing/feeds/csv-texts.ts';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { plainTrades } from '../../../testing/feeds/plain-trades.ts';
import { zipOf } from '../../../testing/feeds/zip-text.ts';
import { unpack } from '../packed/packing.ts';
import { CsvDecoder } from './csv-decoder.ts';
import { guessCsv } from './guess-csv.ts';
import { firstBytesOf, readCsv } from './read-csv.ts';

const NAME = 'BTCUSDT-trades-2026-03-10';
const trades: readonly PlainTrade[] = Array.from({ length: 30_000 }, (_, index) => ({
  symbol: 'BTCUSDT',
  ts: 1_773_153_000_000_000_000n + BigInt(index) * 7_000_000n,
  price: (67_000 + (index % 500) / 10).toFixed(1),
  size: `0.00${1 + (index % 9)}`,
  side: index % 2 === 0 ? 1 : -1,
}));
const text = Buffer.from(binanceText(trades, { isAggregated: false, hasHeader: true }));

for (const [path, bytes] of [
  [`${NAME}.csv`, text],
  [`${NAME}.csv.gz`, gzipSync(text)],
  [`${NAME}.csv.zst`, zstdCompressSync(text)],
  [`${NAME}.zip`, zipOf([{ name: `${NAME}.csv`, bytes: text }])],
] as const) {
  it(`${path}: unpacked, guessed and read`, async () => {
    const { files } = await unpack(memorySource(bytes), `archive/${path}`);
    assert.equal(files.length, 1);
    const guess = guessCsv(await firstBytesOf(files[0]!), files[0]!.name);
    assert.equal(guess.symbol, 'BTCUSDT');
    const decoder = new CsvDecoder(guess.mapping!);
    let count = 0;
    for await (const batch of readCsv(files[0]!, decoder)) {
      for (const { ts, size, side } of plainTrades(batch, decoder.instruments)) {
        const written = trades[count]!;
        assert.deepEqual([ts, size, side], [written.ts, written.size, written.side]);
        count += 1;
      }
    }
    assert.equal(count, trades.length);
    assert.deepEqual([...decoder.counts], []);
  });
}
