/** One day of a contract as one batch; empty when the tape does not have the day. */

import { RANK_MAX, type Rank, rank, type UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { Tape } from '../../tape/tape.ts';

export async function readDay(tape: Tape, symbol: string, day: UtcDay): Promise<TradeBatch> {
  const parts: TradeBatch[] = [];
  let count = 0;
  const end = { day, rank: RANK_MAX as Rank };
  for await (const part of tape.read(symbol, { day, rank: 0 as Rank }, end)) {
    parts.push(part);
    count += part.count;
  }
  const whole = allocateBatch(day, rank(1), count);
  for (const part of parts) {
    whole.ts.set(part.ts.subarray(0, part.count), whole.count);
    whole.price.set(part.price.subarray(0, part.count), whole.count);
    whole.size.set(part.size.subarray(0, part.count), whole.count);
    whole.side.set(part.side.subarray(0, part.count), whole.count);
    whole.count += part.count;
  }
  return whole;
}
