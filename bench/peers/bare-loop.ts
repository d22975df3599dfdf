/**
 * The ceiling of every study: a loop that only sums the four columns of a tape. It is called once
 * per batch, as studies are, so that V8 compiles both equally well.
 */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { SimTape } from '../shared/sim-tape.ts';

export function bareLoop({ batches }: SimTape): number {
  let sum = 0;
  for (const batch of batches) sum += sumColumns(batch);
  return sum;
}

function sumColumns({ ts, price, size, side, count }: TradeBatch): number {
  let times = 0;
  let prices = 0;
  let sizes = 0;
  let sides = 0;
  for (let row = 0; row < count; row += 1) {
    times += ts[row]!;
    prices += price[row]!;
    sizes += size[row]!;
    sides += side[row]!;
  }
  return times + prices + sizes + sides;
}
