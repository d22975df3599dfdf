/** DBN files through `tapeloom study --file`, compared with the same trades as text, which DuckDB verifies. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { DBN_SCHEMAS, type DbnTrade, DbnWriter } from '../../../server/testing/feeds/dbn-writer.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { studyCommand } from './study.ts';

const scratch = mkdtempSync(join(tmpdir(), 'study-dbn-'));
after(() => rmSync(scratch, { recursive: true }));

/** 2026-03-10 14:30:00 UTC. */
const BEGIN = 1_773_153_000_000_000_000n;
const [ES, SPREAD] = [101, 102];
const trades: readonly DbnTrade[] = Array.from({ length: 2_000 }, (_, index) => ({
  instrumentId: ES,
  event: BEGIN + BigInt(index) * 1_000_000_007n,
  price: BigInt(20_000 + ((index * 7) % 23)) * 250_000_000n,
  size: 1 + ((index * 13) % 50),
  side: ['A', 'B', 'N'][index % 3]!,
}));

const text = [
  'timestamp,symbol,price,size,side',
  ...trades.map(({ event, price, size, side }) => {
    const word = { A: 'sell', B: 'buy' }[side] ?? '';
    return `${event},ESH6,${Number(price) / 1e9},${size},${word}`;
  }),
].join('\n');

const head = (schema: keyof typeof DBN_SCHEMAS, version: 1 | 2 | 3) =>
  new DbnWriter({
    version,
    schema: DBN_SCHEMAS[schema],
    symbols: ['ESH6', 'ESH6-ESM6'],
    mappings: [
      ['ESH6', ES],
      ['ESH6-ESM6', SPREAD],
    ].map(([name, id]) => {
      const interval = { fromDay: 20260310, toDay: 20260311, output: String(id) };
      return { name: String(name), intervals: [interval] };
    }),
  });

async function study(name: string, content: string | Uint8Array) {
  const path = join(scratch, name);
  writeFileSync(path, content);
  const io = new RecordedIo();
  const code = await studyCommand.run(['footprint', '--file', path, '--tail'], io);
  assert.equal(code, 0, io.err);
  return { out: io.out, err: io.err };
}

test('trades of every schema and version, packed or not, give what the same trades give as a text', async () => {
  const expected = (await study('trades.csv', `${text}\n`)).out;
  assert.ok(expected.split('\n').length > 30);
  const spread = { ...trades[0]!, instrumentId: SPREAD, price: 1_000_000_000n };

  const plain = head('trades', 1).trade(spread);
  for (const trade of trades) plain.trade(trade);
  const first = await study('es.dbn', plain.bytes);
  assert.equal(first.out, expected);
  assert.match(first.err, /^es\.dbn: DBN version 1, trades of GLBX\.MDP3\nESH6: 2,000 trades /);
  assert.match(first.err, /Noted: trades of ESH6-ESM6, a spread \(1\)/);

  // Quote changes between the trades do not count as trades.
  const books = head('mbp-1', 2);
  for (const trade of trades) books.book({ ...trade, action: 'A' }, []).book(trade, []);
  const second = await study('es.dbn.zst', zstdCompressSync(books.bytes));
  assert.equal(second.out, expected);
  assert.match(second.err, /DBN version 2, mbp-1 of GLBX\.MDP3, packed with zstd/);

  // Both sides of an execution are reported: the aggressor's as the trade, the resting order's as a fill.
  const orders = head('mbo', 3);
  for (const trade of trades) orders.order(trade).order({ ...trade, action: 'F' });
  const third = await study('es-mbo.dbn', orders.bytes);
  assert.equal(third.out, expected);
  assert.match(third.err, /DBN version 3, mbo of GLBX\.MDP3/);
});

test('a file that ends in the middle of a trade, or has no trades, is refused in a sentence', async () => {
  const cut = head('trades', 3).trade(trades[0]!).bytes.slice(0, -5);
  await assert.rejects(study('cut.dbn', cut), /^Error: cut\.dbn: .*(?:ends|cut)/);
  const definitions = head('definition', 3).definition({ instrumentId: ES });
  await assert.rejects(study('definition.dbn', definitions.bytes), /definition\.dbn: .*definition/);
});
