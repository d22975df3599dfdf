/** Third-party Arrow files (`arrow/README.md`), their trades, and a reader for such files. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { float64, int32, int64, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import { type FeedHints, openFeed } from '../../src/feeds/open-feed.ts';
import { memorySource } from './memory-source.ts';
import { plainTrades, type ReadTrade } from './plain-trades.ts';

const FOLDER = join(import.meta.dirname, 'arrow');

export const ARROW_SAMPLES: ReadonlyMap<string, Uint8Array> = new Map(
  readdirSync(FOLDER)
    .filter((name) => !name.endsWith('.md'))
    .map((name) => [name, new Uint8Array(readFileSync(join(FOLDER, name)))]),
);

export const SAMPLE_TRADES: readonly ReadTrade[] = Array.from({ length: 40 }, (_, index) => ({
  symbol: 'ESH6',
  ts: 1_773_153_000_000_000_000n + BigInt(index) * 300_000_007n,
  price: String((20_000 + ((index * 7) % 23)) / 4),
  size: String(1 + ((index * 13) % 50)),
  side: index % 3 === 0 ? -1 : 1,
  row: index + 1,
}));

/** All trades, or the message of the rejection. Any error but a `FeedError` is our fault and thrown. */
export async function readTable(
  bytes: Uint8Array,
  hints: FeedHints = {},
): Promise<{ readonly trades: readonly ReadTrade[]; readonly refusal: string | null }> {
  const trades: ReadTrade[] = [];
  try {
    const feed = await openFeed(memorySource(bytes), 'trades', hints);
    for await (const batch of feed.trades()) {
      const count = Math.max(...batch.instruments.subarray(0, batch.count), 0) + 1;
      const instruments = Array.from({ length: count }, (_, index) => {
        return { symbol: feed.nameOf(index), skipped: null };
      });
      trades.push(...plainTrades(batch, instruments));
    }
    return { trades, refusal: null };
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    return { trades, refusal: error.message };
  }
}

/** Plain columns as an Arrow file, written by flechette. */
export function arrowFile(columns: Parameters<typeof tableFromArrays>[0]): Uint8Array {
  return tableToIPC(tableFromArrays(columns), { format: 'file' })!;
}

export interface ArrowTrades {
  readonly ts: bigint[];
  readonly price: number[];
  readonly size: number[];
  readonly side: string[];
  readonly symbol: string[];
}

/** Trades with plain strings instead of dictionaries. */
export function arrowTrades(trades: ArrowTrades): Uint8Array {
  const types = { ts: int64(), price: float64(), size: int32(), side: utf8(), symbol: utf8() };
  const table = tableFromArrays(Object.entries(trades), { types, useBigInt: true });
  return tableToIPC(table, { format: 'file' })!;
}
