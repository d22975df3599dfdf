/** Reads DBN bytes to the end, as plain rows or the message of the rejection. */

import { DAY_NS } from '@tapeloom/core/units';
import { DbnDecoder, type DbnDecoderOptions } from '../../src/feeds/dbn/dbn-decoder.ts';
import { FeedError } from '../../src/feeds/feed-trades.ts';

export interface ReadTrade {
  readonly symbol: string | null;
  readonly day: number;
  readonly ns: number;
  readonly price: number;
  readonly size: number;
  readonly side: number;
  readonly row: number;
}

export interface DbnReading {
  readonly trades: readonly ReadTrade[];
  readonly counts: Readonly<Record<string, number>>;
  readonly refusal: string | null;
  readonly row: number | null;
}

/** Any error but a `FeedError` is our fault and thrown, and so is an impossible trade. */
export function readDbn(
  pieces: Iterable<Uint8Array>,
  options: DbnDecoderOptions = {},
): DbnReading & { readonly decoder: DbnDecoder } {
  const decoder = new DbnDecoder(options);
  const trades: ReadTrade[] = [];
  let refused: FeedError | null = null;
  try {
    for (const piece of pieces) takeAll(decoder, piece, trades);
    decoder.end();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    refused = error;
  }
  return {
    trades,
    counts: Object.fromEntries(decoder.counts),
    refusal: refused?.message ?? null,
    row: refused?.row ?? null,
    decoder,
  };
}

/** The bytes in chunks that end at these positions. */
export function* cutAt(bytes: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  let from = 0;
  for (const place of [...places, bytes.length].toSorted((a, b) => a - b)) {
    yield bytes.subarray(from, place);
    from = place;
  }
}

function takeAll(decoder: DbnDecoder, piece: Uint8Array, trades: ReadTrade[]): void {
  for (const batch of decoder.push(piece)) {
    for (let index = 0; index < batch.count; index += 1) {
      const instrument = decoder.instruments[batch.instruments[index]!]!;
      const trade = {
        symbol: instrument.symbol,
        day: batch.days[index]!,
        ns: batch.ns[index]!,
        price: batch.prices[index]!,
        size: batch.sizes[index]!,
        side: batch.sides[index]!,
        row: batch.rowOf(index),
      };
      const isPossible =
        instrument.skipped === null &&
        trade.ns >= 0 &&
        trade.ns < DAY_NS &&
        Number.isSafeInteger(trade.ns) &&
        Number.isSafeInteger(trade.price) &&
        trade.size > 0 &&
        Math.abs(trade.side) <= 1 &&
        trade.row > (trades.at(-1)?.row ?? 0) &&
        trade.row <= decoder.records;
      if (!isPossible) throw new Error(`not a trade: ${JSON.stringify(trade)}`);
      trades.push(trade);
    }
  }
}
