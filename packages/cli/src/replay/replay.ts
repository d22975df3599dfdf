/** A replay's input: an instrument, its start and end, and its days. */

import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { ReplayPlan } from '@tapeloom/server/markets/replay/write-replay';

export interface Replay {
  readonly plan: ReplayPlan;
  /** Whole days, ascending, up to the day of the end. Days before the start are the replay's past. */
  readonly days: AsyncIterable<TradeBatch> | Iterable<TradeBatch>;
  /** Sessions resolved earlier; null: resolve them from the calendar. */
  readonly sessions: SessionBook | null;
}
