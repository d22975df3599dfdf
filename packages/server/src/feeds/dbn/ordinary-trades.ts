/**
 * The loops that nearly all trades of a DBN file go through: of an instrument that was met lately, made and captured on the
 * day of the trade before, with nothing undefined. They stop at any other record, also at a few that are as ordinary: what
 * can be told from the halves of numbers alone is all that is asked here. They hold few things, so that registers suffice.
 *
 * Most files have trades of one instrument in records that begin as those of `trades` do. For those there is a loop that looks
 * nothing up and has its offsets in the code; where it meets another instrument, the other one goes on.
 */

import { type DbnDay, HIGH } from './dbn-day.ts';
import type { DbnWindow } from './dbn-input.ts';
import type { TradeLayout } from './dbn-kinds.ts';
import { type RecentInstruments, slotOf } from './recent-instruments.ts';
import { BATCH_ROWS, type TradeBatchColumns } from './trade-batch-columns.ts';

/** The action of a trade. */
export const TRADE = 0x54;
export const NO_SIDE = 2;
/** The aggressor by the byte of the side. */
export const SIDES = new Int8Array(256).fill(NO_SIDE);
SIDES[0x41] = -1;
SIDES[0x42] = 1;
SIDES[0x4e] = 0;
/** Where records that begin as those of `trades` have price and action, as the first loop takes for granted. */
const LIKE_TRADES = { price: 16, action: 28 } as const;
/** The high half of 2^53: prices with a smaller one are exact doubles. */
const PRICE_HIGH_MAX = 2 ** 21;

/**
 * Writes trades behind the columns' last, from records with these two first bytes, and moves the window on behind them.
 * Returns how many there were, of the one day; who calls adds them to the columns.
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

/** Of the instrument of the first one. Returns the row behind the last. */
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

/** Of any instrument, in any layout, from a row on. Returns the row behind the last. */
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
  // What is imported would be fetched anew for every record.
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

/** Behind the last row that there is a whole record and a place in the columns for. */
function endOfRoom({ view, at }: DbnWindow, recordBytes: number, from: number): number {
  return Math.min(BATCH_ROWS, from + Math.floor((view.byteLength - at) / recordBytes));
}
