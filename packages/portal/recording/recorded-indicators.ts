/**
 * How each indicator is asked for in the minute that its page plays. An indicator that is not here has no recording;
 * after an entry, `npm run recordings` makes it.
 */

import type { RecordedRequest } from '../src/footprint/recording.ts';

/** Regular hours, so that little of the tape is read for a minute. */
const RTH = { session: 'rth' };
const CANDLES: RecordedRequest = { indicator: 'bars', params: { size: 15, depth: 44, ...RTH } };

export interface Recorded {
  readonly params: RecordedRequest['params'];
  /** Null: its objects are candles themselves. */
  readonly candles: RecordedRequest | null;
}

/** With parameters that show in a minute what an indicator is. */
export const RECORDED: Readonly<Record<string, Recorded>> = {
  bars: { params: { ...CANDLES.params }, candles: null },
  footprint: { params: { size: 20, group: 2, minVolume: 4, depth: 9, ...RTH }, candles: null },
  'large-trades': { params: { minSize: 30, depth: 60, ...RTH }, candles: CANDLES },
  delta: { params: { ...CANDLES.params }, candles: CANDLES },
  'volume-profile': { params: { period: 120, group: 2, depth: 4, ...RTH }, candles: CANDLES },
  vwap: { params: { ...CANDLES.params }, candles: CANDLES },
  imbalances: { params: { size: 15, minVolume: 2, ratio: 2, stack: 2, ...RTH }, candles: CANDLES },
  absorption: {
    params: { minSize: 40, windowMs: 10_000, holdMs: 3_000, depth: 60, ...RTH },
    candles: CANDLES,
  },
  sweeps: { params: { levels: 2, minSize: 5, depth: 60, ...RTH }, candles: CANDLES },
  tpo: {
    params: { bracketMinutes: 1, initialBalanceMinutes: 3, group: 4, ...RTH },
    candles: CANDLES,
  },
  'naked-levels': { params: { ...RTH }, candles: CANDLES },
  'unfinished-auctions': { params: { size: 15, ...RTH }, candles: CANDLES },
  'tape-speed': { params: { windowSeconds: 5, depth: 600, ...RTH }, candles: CANDLES },
  'session-levels': { params: { initialBalanceMinutes: 7, ...RTH }, candles: CANDLES },
};
