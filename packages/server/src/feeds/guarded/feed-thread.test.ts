import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MIB } from '@tapeloom/core/units';
import { readPath, secondPages } from '../../../testing/feeds/feed-fuzz.ts';
import { FEED_LIMITS, FeedThread } from './feed-thread.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-feeds-'));
const path = join(directory, 'ESH6.parquet');
after(() => rmSync(directory, { recursive: true }));

/** How many bits the indexes of the prices have, and behind it their runs. */
const PRICE_INDEXES = [3, 17, 136, 198, 250];
/** No bits at all, and eight values fewer than none: the library counts down from there. */
const ENDLESS = [0, 255, 255, 255, 255, 15];
/** One value, a billion times. */
const VAST = [3, 254, 255, 255, 255, 7, 0];

function damagedFile(damage: readonly number[]): void {
  const file = secondPages('UNCOMPRESSED');
  const at = Buffer.from(file).indexOf(Buffer.from(PRICE_INDEXES));
  assert.notEqual(at, -1);
  file.set(damage, at);
  writeFileSync(path, file);
}

test('a file that would be read for ever is refused with the row group and column, and the next one is read', async () => {
  await using feeds = new FeedThread(new AbortController().signal, {
    ...FEED_LIMITS,
    checkMs: 500,
    silentChecks: 4,
  });
  damagedFile(ENDLESS);
  assert.match(
    (await readPath(feeds, path, 'endless'))!,
    /^The file cannot be read at row group 1, column "price": for 2 s there was no progress\./,
  );
  writeFileSync(path, secondPages('UNCOMPRESSED'));
  assert.equal(await readPath(feeds, path, 'whole'), null);
});

test('a file of a kilobyte that would fill the memory is refused with the row group and column', async () => {
  await using feeds = new FeedThread(new AbortController().signal, {
    ...FEED_LIMITS,
    heapBytes: 64 * MIB,
  });
  damagedFile(VAST);
  assert.match(
    (await readPath(feeds, path, 'vast'))!,
    /^The file cannot be read at row group 1, column "price": reading it needs more than 64 MiB/,
  );
});

test('a read that is stuck ends at once when it is interrupted', async () => {
  const interrupt = new AbortController();
  await using feeds = new FeedThread(interrupt.signal);
  damagedFile(ENDLESS);
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
