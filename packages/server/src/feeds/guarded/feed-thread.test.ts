import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { MIB } from '@tapeloom/core/units';
import { DBN_SCHEMAS, DbnWriter } from '../../../testing/feeds/dbn-writer.ts';
import {
  endlessParquet,
  longLevels,
  readPath,
  secondPages,
  vastParquet,
} from '../../../testing/feeds/feed-fuzz.ts';
import { stuckAtFirst } from '../../../testing/feeds/stuck-feed.ts';
import { FeedError } from '../feed-trades.ts';
import { FEED_LIMITS, FeedThread } from './feed-thread.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-feeds-'));
const path = join(directory, 'ESH6.parquet');
after(() => rmSync(directory, { recursive: true }));

test('a file that would be read for ever is refused with the row group and column, and the next one is read', async () => {
  await using feeds = new FeedThread(new AbortController().signal, {
    ...FEED_LIMITS,
    checkMs: 500,
    silentChecks: 4,
    start: stuckAtFirst('stuck'),
  });
  writeFileSync(path, secondPages('UNCOMPRESSED'));
  assert.match(
    (await readPath(feeds, path, 'endless'))!,
    /^The file cannot be read at row group 1, column "price": for 2 s there was no progress\./,
  );
  assert.equal(await readPath(feeds, path, 'whole'), null);
});

test('a file that would fill the memory is refused with the row group and column', async () => {
  await using feeds = new FeedThread(new AbortController().signal, {
    ...FEED_LIMITS,
    heapBytes: 64 * MIB,
    start: stuckAtFirst('vast'),
  });
  writeFileSync(path, secondPages('UNCOMPRESSED'));
  assert.match(
    (await readPath(feeds, path, 'vast'))!,
    /^The file cannot be read at row group 1, column "price": reading it needs more than 64 MiB/,
  );
});

test('counts in a kilobyte that the library would follow for ever, or into all memory, are refused before it', async () => {
  await using feeds = new FeedThread(new AbortController().signal);
  for (const damaged of [endlessParquet(), vastParquet(), longLevels()]) {
    writeFileSync(path, damaged);
    assert.match(
      (await readPath(feeds, path, 'damaged'))!,
      /column "price".* a run goes on behind its page\.$/,
    );
  }
});

test('a read that is stuck ends at once when it is interrupted', async () => {
  const interrupt = new AbortController();
  const limits = { ...FEED_LIMITS, start: stuckAtFirst('stuck') };
  await using feeds = new FeedThread(interrupt.signal, limits);
  writeFileSync(path, secondPages('UNCOMPRESSED'));
  const feed = await feeds.open(path, statSync(path).size, {});
  const reading = assert.rejects(Array.fromAsync(feed.trades()), { name: 'AbortError' });
  interrupt.abort();
  await reading;
});

test('names, counts and trades are those of the file, also of one that was left before its end', async () => {
  await using feeds = new FeedThread(new AbortController().signal);
  const text = join(directory, 'two.csv');
  const row = (second: number, symbol: string) => `17731530${second},5000.25,2,buy,${symbol}\n`;
  const rows = Array.from({ length: 20_000 }, (_, index) =>
    row(10 + (index % 80), index < 10_000 ? 'ESH6' : 'ESM6'),
  );
  writeFileSync(text, `ts,price,size,side,symbol\n${rows.join('')}`);
  const opened = async () => await feeds.open(text, statSync(text).size, {});
  for await (const { count } of (await opened()).trades()) {
    assert.ok(count > 0);
    break;
  }
  const feed = await opened();
  let trades = 0;
  let lastRow = 0;
  for await (const batch of feed.trades()) {
    trades += batch.count;
    lastRow = batch.rowOf(batch.count - 1);
  }
  assert.deepEqual([trades, lastRow, feed.instrumentCount()], [20_000, 20_001, 2]);
  assert.deepEqual([feed.nameOf(0), feed.namesOf(1)], ['ESH6', ['ESM6']]);
  assert.equal(feed.bytesRead() > statSync(text).size, true);
  assert.match(feed.format(), /^CSV/);
});

test('definitions of a file are read in the thread too, and what is wrong with one is told', async () => {
  await using feeds = new FeedThread(new AbortController().signal);
  const writer = new DbnWriter({
    version: 3,
    schema: DBN_SCHEMAS.definition,
    dataset: 'GLBX.MDP3',
  });
  for (let id = 0; id < 3_000; id += 1) {
    writer.definition({ instrumentId: id, rawSymbol: `ES${id}`, instrumentClass: 'F' });
  }
  const file = join(directory, 'definitions.dbn.zst');
  const read = async (bytes: Uint8Array) => {
    writeFileSync(file, bytes);
    return await Array.fromAsync(feeds.definitions(file, bytes.length));
  };
  const pieces = await read(zstdCompressSync(writer.bytes));
  assert.ok(pieces.every(({ dataset }) => dataset === 'GLBX.MDP3'));
  const all = pieces.flatMap(({ definitions }) => definitions);
  assert.deepEqual([all.length, all[2_999]!.rawSymbol], [3_000, 'ES2999']);
  await assert.rejects(read(writer.bytes.subarray(0, -1)), FeedError);
  assert.equal((await read(writer.bytes)).at(-1)!.dataset, 'GLBX.MDP3');
});

test('a thread that reads definitions and is stuck ends at once when it is interrupted', async () => {
  const interrupt = new AbortController();
  const limits = { ...FEED_LIMITS, start: stuckAtFirst('stuck') };
  await using feeds = new FeedThread(interrupt.signal, limits);
  writeFileSync(path, secondPages('UNCOMPRESSED'));
  const feed = await feeds.open(path, statSync(path).size, {});
  const stuck = assert.rejects(Array.fromAsync(feed.trades()), { name: 'AbortError' });
  // Waits behind the call that the thread is stuck in.
  const waiting = assert.rejects(Array.fromAsync(feeds.definitions(path, 8)), {
    name: 'AbortError',
  });
  interrupt.abort();
  await Promise.all([stuck, waiting]);
});
