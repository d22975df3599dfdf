/** Reads CSV texts to the end, as plain rows or the message of the rejection. */

import assert from 'node:assert/strict';
import { CsvDecoder } from '../../src/feeds/csv/csv-decoder.ts';
import type { CsvMapping } from '../../src/feeds/feed-mapping.ts';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import { plainTrades, type ReadTrade } from './plain-trades.ts';

/** Few, so that most files span several batches. */
const BATCH_ROWS = 16;

export const bytesOf = (text: string) => new TextEncoder().encode(text);

export function decode(mapping: CsvMapping, pieces: Iterable<Uint8Array>) {
  const decoder = new CsvDecoder(mapping, BATCH_ROWS);
  const trades: ReadTrade[] = [];
  for (const piece of pieces) {
    for (const batch of decoder.push(piece))
      trades.push(...plainTrades(batch, decoder.instruments));
  }
  for (const batch of decoder.finish()) trades.push(...plainTrades(batch, decoder.instruments));
  return { trades, counts: Object.fromEntries(decoder.counts), instruments: decoder.instruments };
}

/** The trades, or the error's message. */
export function outcome(mapping: CsvMapping, pieces: Iterable<Uint8Array>): unknown {
  try {
    return decode(mapping, pieces);
  } catch (error) {
    assert.ok(error instanceof FeedError, String(error));
    return { message: error.message, row: error.row };
  }
}
