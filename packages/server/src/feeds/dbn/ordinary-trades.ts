/**
 * The loop that nearly all trades of a DBN file go through: of an instrument that was met lately, made and captured on the
 * day of the trade before, with nothing undefined. It stops at any other record, also at a few that are as ordinary: what
 * can be told from the halves of numbers alone is all that is asked here. It holds few things, so that registers suffice.
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
  { pairs }: RecentInstruments,
  { firstHigh, moreHighs, firstHighNs }: DbnDay,
  { count, instruments, ns, prices, sizes, sides }: TradeBatchColumns,
): number {
  const { view } = window;
  const bytes = (head & 0xff) * 4;
  const priceAt = layout.price;
  const marksShift = (layout.action - layout.price - 12) * 8;
  // What is imported would be fetched anew for every record.
  const highNs = HIGH;
  const room = Math.floor((view.byteLength - window.at) / bytes);
  const to = Math.min(BATCH_ROWS, count + room);
  let { at } = window;
  let row = count;
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
  return row - count;
}
