/**
 * The hot loops for nearly all trades of a DBN file: of a cached instrument, traded and captured on the previous
 * trade's day, with nothing undefined. They stop at any other record, and at a few ordinary ones, because they examine
 * only the halves of numbers. Few variables keep them in registers. Most files have trades of one instrument in records
 * that start like `trades` records; a special loop without lookups reads those.
 */

import { type DbnDay, HIGH } from './dbn-day.ts';
import type { DbnWindow } from './dbn-input.ts';
import type { TradeLayout } from './dbn-kinds.ts';
import { type RecentInstruments, slotOf } from './recent-instruments.ts';
import { BATCH_ROWS, type TradeBatchColumns } from './trade-batch-columns.ts';

export const TRADE = 0x54;
export const NO_SIDE = 2;
export const SIDES = new Int8Array(256).fill(NO_SIDE);
SIDES[0x41] = -1;
SIDES[0x42] = 1;
SIDES[0x4e] = 0;
/** The price and action offsets of records that start like `trades` records, which the first loop assumes. */
const LIKE_TRADES = { price: 16, action: 28 } as const;
/** The high half of 2^53: smaller prices are exact doubles. */
const PRICE_HIGH_MAX = 2 ** 21;

/**
 * Appends trades from records that start with `head` to the columns and moves the window past them. Returns their
 * number; all are of one day. The caller must add them to the columns.
 */
export function takeOrdinaryTrades(
  window: DbnWindow,
  head: number,
  layout: TradeLayout,
  recent: RecentInstruments,
  day: DbnDay,
  columns: TradeBatchColumns,
): number {
  const from = columns.count;
  const isLikeTrades = layout.price === LIKE_TRADES.price && layout.action === LIKE_TRADES.action;
  const between = isLikeTrades ? takeOfOne(window, head, recent, day, columns) : from;
  return takeOfAny(window, head, layout, recent, day, columns, between) - from;
}

/** Reads trades of the first trade's instrument. Returns the row after the last. */
function takeOfOne(
  window: DbnWindow,
  head: number,
  recent: RecentInstruments,
  { firstHigh, moreHighs, firstHighNs }: DbnDay,
  { count, instruments, ns, prices, sizes, sides }: TradeBatchColumns,
): number {
  const { view } = window;
  const bytes = (head & 0xff) * 4;
  const to = endOfRoom(window, bytes, count);
  if (to === count) return count;
  let { at } = window;
  const id = view.getInt32(at + 4, true);
  const slot = slotOf(id);
  const index = recent.pairs[slot + 1]!;
  if (recent.pairs[slot] !== id || index < 0) return count;
  const highNs = HIGH;
  let row = count;
  for (; row < to; row += 1) {
    if (view.getUint16(at, true) !== head) break;
    const marks = view.getInt32(at + 28, true);
    if ((marks & 0xff) !== TRADE) break;
    if (view.getInt32(at + 4, true) !== id) break;
    const capturedHigh = view.getInt32(at + 36, true) - firstHigh;
    if (capturedHigh >>> 0 > moreHighs) break;
    const timeHigh = view.getInt32(at + 12, true) - firstHigh;
    if (timeHigh >>> 0 > moreHighs) break;
    const priceHigh = view.getInt32(at + 20, true);
    if (priceHigh >= PRICE_HIGH_MAX || priceHigh <= -PRICE_HIGH_MAX) break;
    const size = view.getInt32(at + 24, true);
    const side = SIDES[(marks >> 8) & 0xff]!;
    if (size <= 0 || side === NO_SIDE) break;
    ns[row] = timeHigh * highNs + firstHighNs + view.getUint32(at + 8, true);
    prices[row] = priceHigh * highNs + view.getUint32(at + 16, true);
    sizes[row] = size;
    sides[row] = side;
    at += bytes;
  }
  instruments.fill(index, count, row);
  window.at = at;
  return row;
}

/** Reads trades of any instrument in any layout, starting at a row. Returns the row after the last. */
function takeOfAny(
  window: DbnWindow,
  head: number,
  layout: TradeLayout,
  { pairs }: RecentInstruments,
  { firstHigh, moreHighs, firstHighNs }: DbnDay,
  { instruments, ns, prices, sizes, sides }: TradeBatchColumns,
  from: number,
): number {
  const { view } = window;
  const bytes = (head & 0xff) * 4;
  const priceAt = layout.price;
  const marksShift = (layout.action - layout.price - 12) * 8;
  // A local copy: an import would be loaded again for every record.
  const highNs = HIGH;
  const to = endOfRoom(window, bytes, from);
  let { at } = window;
  let row = from;
  for (; row < to; row += 1) {
    if (view.getUint16(at, true) !== head) break;
    const place = at + priceAt;
    const marks = view.getInt32(place + 12, true) >>> marksShift;
    if ((marks & 0xff) !== TRADE) break;
    const id = view.getInt32(at + 4, true);
    const slot = slotOf(id);
    const index = pairs[slot + 1]!;
    if (pairs[slot] !== id || index < 0) break;
    const capturedHigh = view.getInt32(place + 20, true) - firstHigh;
    if (capturedHigh >>> 0 > moreHighs) break;
    const timeHigh = view.getInt32(at + 12, true) - firstHigh;
    if (timeHigh >>> 0 > moreHighs) break;
    const priceHigh = view.getInt32(place + 4, true);
    if (priceHigh >= PRICE_HIGH_MAX || priceHigh <= -PRICE_HIGH_MAX) break;
    const size = view.getInt32(place + 8, true);
    const side = SIDES[(marks >> 8) & 0xff]!;
    if (size <= 0 || side === NO_SIDE) break;
    instruments[row] = index;
    ns[row] = timeHigh * highNs + firstHighNs + view.getUint32(at + 8, true);
    prices[row] = priceHigh * highNs + view.getUint32(place, true);
    sizes[row] = size;
    sides[row] = side;
    at += bytes;
  }
  window.at = at;
  return row;
}

/** The row limit given by whole records and by the columns' capacity. */
function endOfRoom({ view, at }: DbnWindow, recordBytes: number, from: number): number {
  return Math.min(BATCH_ROWS, from + Math.floor((view.byteLength - at) / recordBytes));
}
