/**
 * Chooses the records of a live capture that provide an instrument's trades. Each schema in a capture contains every
 * trade once. So a first pass notes the record kinds in which an instrument traded, and one kind is used.
 */

import { DbnInput, wholeRecordBytes } from './dbn-input.ts';
import { MIXED_SCHEMA, TRADE_LAYOUTS, type TradeLayout, tradeLayoutOf } from './dbn-kinds.ts';
import { TRADE } from './ordinary-trades.ts';

/** More than any capture has. */
const INSTRUMENTS_MAX = 1_000_000;

/** By instrument id; null unless the file is a capture with trades in several kinds of records. */
export type CaptureLayouts = ReadonlyMap<number, TradeLayout>;

/** Reads all pieces of a file. The decoder reports faults of the file. */
export async function captureLayouts(
  pieces: AsyncIterable<Uint8Array>,
): Promise<CaptureLayouts | null> {
  const input = new DbnInput();
  const kinds = new Map<number, number>();
  let all = 0;
  let records = 0;
  for await (const piece of pieces) {
    input.open(piece);
    for (let window = input.next(); window !== null; window = input.next()) {
      if (input.metadata!.schema !== MIXED_SCHEMA) return null;
      const { bytes, view } = window;
      while (window.at < bytes.length) {
        const count = wholeRecordBytes(window, records + 1);
        if (count === null) break;
        records += 1;
        const layout = tradeLayoutOf(bytes[window.at + 1]!);
        if (
          layout !== null &&
          count >= layout.bytes &&
          bytes[window.at + layout.action] === TRADE
        ) {
          const id = view.getUint32(window.at + 4, true);
          const bit = 1 << TRADE_LAYOUTS.indexOf(layout);
          all |= bit;
          if (kinds.size < INSTRUMENTS_MAX) kinds.set(id, (kinds.get(id) ?? 0) | bit);
        }
        window.at += count;
      }
    }
  }
  // A single kind needs no choice.
  if ((all & (all - 1)) === 0) return null;
  return new Map([...kinds].map(([id, bits]) => [id, preferred(bits)]));
}

/** Layouts are listed in order of preference. */
function preferred(bits: number): TradeLayout {
  return TRADE_LAYOUTS.find((_, place) => (bits & (1 << place)) !== 0)!;
}
