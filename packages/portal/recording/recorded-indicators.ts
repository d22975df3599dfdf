/** The request of each indicator for the minute on its page. After adding an entry, run `npm run recordings`. */

import type { RecordedRequest } from '@tapeloom/charts/feed/recording';

/** Regular hours, so that a minute needs little of the tape. */
const RTH = { session: 'rth' };
const CANDLES: RecordedRequest = { indicator: 'bars', params: { size: 15, depth: 44, ...RTH } };

export interface Recorded {
  readonly params: RecordedRequest['params'];
  /** Null: its objects are candles. */
  readonly candles: RecordedRequest | null;
}

/** The parameters show within a minute what the indicator does. */
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
