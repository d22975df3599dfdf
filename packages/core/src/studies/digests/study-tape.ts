/** A whole tape for a study, with its sessions: generated, or from a golden vector. */

import type { SessionKind, SessionTable } from '../../calendar/session.ts';
import type { EpochNs, Rank } from '../../numbers.ts';
import { allocateBatch, type TradeBatch } from '../../trade-batch.ts';
import { dayOf, nsOfDay } from '../../utc-day.ts';
import type { IsWholeUpTo } from '../run.ts';

export interface StudyTape {
  readonly sessionsOf: (kind: SessionKind) => SessionTable;
  /** Whether a session is whole on the tape, up to and including a day. */
  readonly isWholeUpTo: IsWholeUpTo;
  /** A midnight before all sessions and trades. */
  readonly start: EpochNs;
  readonly batches: readonly TradeBatch[];
  /** The watermark at the end. */
  readonly until: EpochNs;
}

export interface TapeTrade {
  readonly at: EpochNs;
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

/** One batch for each day; ranks count from 1. */
export function batchesOf(trades: readonly TapeTrade[]): TradeBatch[] {
  return [...Map.groupBy(trades, ({ at }) => dayOf(at))].map(([day, mine]) => {
    const batch = allocateBatch(day, 1 as Rank, mine.length);
    for (const [row, { at, price, size, side }] of mine.entries()) {
      batch.ts[row] = nsOfDay(at);
      batch.price[row] = price;
      batch.size[row] = size;
      batch.side[row] = side;
    }
    batch.count = mine.length;
    return batch;
  });
}
