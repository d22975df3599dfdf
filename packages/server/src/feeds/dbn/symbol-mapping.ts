/** The records of a live gateway that map an instrument id to a symbol from there on. */

import { FeedError } from '../feed-trades.ts';
import type { DbnWindow } from './dbn-input.ts';
import { NAME_KINDS, SENT_BYTES } from './dbn-kinds.ts';
import { textAt } from './dbn-text.ts';

/** Version 1 has shorter symbols, and no kinds of names. */
const LAYOUTS = [
  { bytes: 80, symbolBytes: 22, inAt: 16, outAt: 38, outKindAt: null },
  { bytes: 176, symbolBytes: 71, inAt: 17, outAt: 89, outKindAt: 88 },
] as const;
const DIGITS = /^\d+$/;

/** The requested name may be a parent or an alias; the resolved one is the venue's symbol, unless it is the id. */
export function readSymbolMapping(
  { bytes, view, at, position }: DbnWindow,
  recordBytes: number,
  row: number,
): { readonly id: number; readonly symbol: string } {
  const layout = LAYOUTS.find(
    (usual) => recordBytes === usual.bytes || recordBytes === usual.bytes + SENT_BYTES,
  );
  if (layout === undefined) {
    throw new FeedError(
      `The symbol mapping at byte ${position + at} has ${recordBytes} bytes; 80 and 176 can be true.`,
      row,
    );
  }
  const out = textAt(bytes, at + layout.outAt, layout.symbolBytes, position);
  const isId =
    layout.outKindAt === null
      ? DIGITS.test(out)
      : bytes[at + layout.outKindAt] === NAME_KINDS.instrumentId;
  const symbol = isId ? textAt(bytes, at + layout.inAt, layout.symbolBytes, position) : out;
  if (symbol === '') {
    throw new FeedError(`The symbol mapping at byte ${position + at} names nothing.`, row);
  }
  return { id: view.getUint32(at + 4, true), symbol };
}
