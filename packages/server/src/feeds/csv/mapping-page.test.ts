/** Checks the page about mappings: every example on it is read as described, and every preset is named. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bytesOf, decode } from '../../../testing/feeds/csv-reading.ts';
import { memorySource } from '../../../testing/feeds/memory-source.ts';
import { plainTrades, type ReadTrade } from '../../../testing/feeds/plain-trades.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { openFeed } from '../open-feed.ts';
import { CSV_PRESETS } from './csv-guess.ts';
import { judgeMapping } from './judge-mapping.ts';

const page = readFileSync(
  new URL('../../../../../docs/recipes/map-your-own-file.md', import.meta.url),
  'utf8',
);
const SIDES = ['sell', 'unknown', 'buy'];
const examples = page.split(/^### \d+\. /m).slice(1);

test('the page has eleven examples and names every preset', () => {
  assert.equal(examples.length, 11);
  for (const name of CSV_PRESETS) assert.ok(page.includes(`\`${name}\``), name);
});

for (const example of examples) {
  const title = example.slice(0, example.indexOf('\n'));
  test(`a mapping reads what the page says: ${title}`, async () => {
    const blocks = [...example.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text]) => text!);
    const [rows, mapping, expected] = blocks as [string, string, string];
    const judged = judgeMapping(JSON.parse(mapping));
    assert.ok(judged.mapping !== null, JSON.stringify(judged));
    const trades = rows.startsWith('{')
      ? await readJson(rows, judged.mapping)
      : decode(judged.mapping, [bytesOf(rows)]).trades;
    const lines = trades.map(({ ts, price, size, side, symbol }) => {
      const time = Temporal.Instant.fromEpochNanoseconds(ts).toString({
        fractionalSecondDigits: 9,
      });
      const words = [time, price, size, SIDES[side + 1], symbol ?? ''];
      return `${words.join(' ').trim()}\n`;
    });
    assert.equal(lines.join(''), expected);
  });
}

async function readJson(rows: string, mapping: CsvMapping): Promise<readonly ReadTrade[]> {
  const feed = await openFeed(memorySource(bytesOf(rows)), 'trades.jsonl', { mapping });
  const trades: ReadTrade[] = [];
  for await (const batch of feed.trades()) {
    trades.push(...plainTrades(batch, [{ symbol: null, skipped: null }]));
  }
  return trades;
}
