/**
 * Which records of a live capture carry the trades of an instrument. A capture may hold several schemas, and each of them
 * has every trade once: so a first pass notes in which kinds of records an instrument traded, and one of them counts.
 */

import { DbnInput, wholeRecordBytes } from './dbn-input.ts';
import { MIXED_SCHEMA, TRADE_LAYOUTS, type TradeLayout, tradeLayoutOf } from './dbn-kinds.ts';
import { TRADE } from './ordinary-trades.ts';

/** More instruments than any capture has. */
const INSTRUMENTS_MAX = 1_000_000;

/** By instrument id; null where the file is no capture, or has its trades in records of one kind. */
export type CaptureLayouts = ReadonlyMap<number, TradeLayout>;

/** Of all pieces of a file. What is wrong with it is left to who decodes it. */
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
  // One kind alone needs no choice.
  if ((all & (all - 1)) === 0) return null;
  return new Map([...kinds].map(([id, bits]) => [id, preferred(bits)]));
}

/** Layouts stand in the order in which they are preferred. */
function preferred(bits: number): TradeLayout {
  return TRADE_LAYOUTS.find((_, place) => (bits & (1 << place)) !== 0)!;
}
