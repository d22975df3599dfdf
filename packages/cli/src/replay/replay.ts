/** What is to be played: an instrument, from when to when, and its days. */

import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { ReplayPlan } from '@tapeloom/server/markets/replay/write-replay';

export interface Replay {
  readonly plan: ReplayPlan;
  /** Whole days, ascending, up to that of the end: those before the start give it a past. */
  readonly days: AsyncIterable<TradeBatch> | Iterable<TradeBatch>;
  /** Sessions that were resolved before; null: by the calendar. */
  readonly sessions: SessionBook | null;
}
