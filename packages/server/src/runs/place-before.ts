/** The position of an instant on a contract's tape. */

import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import type { Tape, TapePlace } from '../tape/tape.ts';

/** The last trade before an instant; the day need not be on the tape. */
export async function placeBefore(
  tape: Tape,
  symbol: string,
  instant: EpochNs,
): Promise<TapePlace> {
  const day = dayOf(instant);
  const ns = nsOfDay(instant);
  return { day, rank: ns === 0 ? (0 as Rank) : await tape.rankBefore(symbol, day, ns) };
}
