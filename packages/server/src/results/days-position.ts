/** How far a read of settled days has come. */

import type { DayResult, DaysPosition } from './settled-days.ts';

/** Where a result ends that follows a position. */
export function positionAfter(before: DaysPosition | null, result: DayResult): DaysPosition {
  const { day, trades, settled, tail } = result;
  const ofDay = before?.day === day ? before : { trades: 0, line: null };
  const rank = settled.ranks.at(-1);
  return {
    day,
    trades: ofDay.trades + trades,
    line: rank === undefined ? ofDay.line : { rank, k: settled.ks.at(-1)! },
    hasTail: tail.ends.length > 0,
  };
}
