/** When a tape entry happened: the time of a trade, or the midnight that is the entry of rank 0. */

import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Tape, TapePlace } from '../tape/tape.ts';

/** Null if the tape has no such trade. A cursor is never older than its entry. */
export async function entryTime(
  tape: Tape,
  symbol: string,
  { day, rank }: TapePlace,
): Promise<EpochNs | null> {
  if (rank === 0) return epochNs(day, 0);
  const days = await tape.days(symbol);
  if (!days.some((one) => one.day === day && one.trades >= rank)) return null;
  const before = { day, rank: (rank - 1) as Rank };
  for await (const batch of tape.read(symbol, before, { day, rank })) {
    if (batch.count > 0) return epochNs(day, batch.ts[0]!);
  }
  return null;
}
