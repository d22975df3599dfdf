/**
 * Where a contract's tape ends: at its last trade or, if it grows, at the midnight after it that the watermark passed.
 */

import type { Rank } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { LiveTape } from '../tape/tape.ts';
import type { RepairAnswer } from '../topics/engine-link.ts';

/** Null on an empty tape. */
export async function tapeEnd(tape: LiveTape, contract: string): Promise<RepairAnswer['end']> {
  const promise = tape.promiseOf(contract);
  const last = (await tape.days(contract)).at(-1);
  const isStill = (tape.endOf?.(contract) ?? null) !== null;
  const today = promise === null ? null : dayOf(promise);
  if (last === undefined || (today !== null && last.day < today && !isStill)) {
    return today === null ? null : { day: today, rank: 0 as Rank };
  }
  return { day: last.day, rank: last.trades as Rank };
}
