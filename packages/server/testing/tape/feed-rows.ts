/** For tests of single trades: intake batches as rows. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { IntakeBatch } from '../../src/tape/write/intake.ts';

/** Feed number and time; then price, size and side if they matter. */
export type FeedRow = readonly [
  id: number,
  ts: number,
  price?: number,
  size?: number,
  side?: number,
];

export function intakeBatch(symbol: string, day: UtcDay, rows: readonly FeedRow[]): IntakeBatch {
  const count = rows.length;
  const [id, ts, price, size] = Array.from({ length: 4 }, () => new Float64Array(count));
  const batch = { id: id!, ts: ts!, price: price!, size: size!, side: new Int8Array(count) };
  // Some batches have millions.
  for (let row = 0; row < count; row += 1) {
    const given = rows[row]!;
    batch.id[row] = given[0];
    batch.ts[row] = given[1];
    batch.price[row] = given[2] ?? 100;
    batch.size[row] = given[3] ?? 1;
    batch.side[row] = given[4] ?? 0;
  }
  return { symbol, day, count, ...batch };
}
