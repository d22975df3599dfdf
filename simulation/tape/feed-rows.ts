/** Intake batches written as rows, for tests that care about single trades. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { IntakeBatch } from '@tapeloom/server/tape/write/intake';

/** Feed number, time; then price, size and side where they matter. */
export type FeedRow = readonly [
  id: number,
  ts: number,
  price?: number,
  size?: number,
  side?: number,
];

export function intakeBatch(symbol: string, day: UtcDay, rows: readonly FeedRow[]): IntakeBatch {
  return {
    symbol,
    day,
    count: rows.length,
    id: Float64Array.from(rows, ([id]) => id),
    ts: Float64Array.from(rows, ([, ts]) => ts),
    price: Float64Array.from(rows, ([, , price]) => price ?? 100),
    size: Float64Array.from(rows, ([, , , size]) => size ?? 1),
    side: Int8Array.from(rows, ([, , , , side]) => side ?? 0),
  };
}
