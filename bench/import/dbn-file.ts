/** A DBN file of simulated trades of one contract. */

import { epochNs } from '@tapeloom/core/utc-day';
import { DBN_SCHEMAS, DbnWriter } from '../../packages/server/testing/feeds/dbn-writer.ts';
import { simulatedTape } from '../shared/sim-tape.ts';

export const DBN_TRADES = 1_000_000;
const TICK_NANOS = 250_000_000n;
/** The delay from the matching engine to the capture. */
const CAPTURE_NS = 300_000n;
const SIDES = 'ANB';

export function tradesFile(): { readonly bytes: Uint8Array; readonly headBytes: number } {
  const intervals = [{ fromDay: 20_260_101, toDay: 20_270_101, output: '1' }];
  const writer = new DbnWriter({
    version: 3,
    schema: DBN_SCHEMAS.trades,
    symbols: ['ESH6'],
    mappings: [{ name: 'ESH6', intervals }],
  });
  const headBytes = writer.bytes.length;
  let sequence = 0;
  for (const { day, count, ts, price, size, side } of simulatedTape(DBN_TRADES).batches) {
    for (let row = 0; row < count; row += 1) {
      const event = epochNs(day, ts[row]!);
      sequence += 1;
      writer.trade({
        instrumentId: 1,
        event,
        received: event + CAPTURE_NS,
        price: BigInt(price[row]!) * TICK_NANOS,
        size: size[row]!,
        side: SIDES[side[row]! + 1]!,
        sequence,
      });
    }
  }
  return { bytes: writer.bytes, headBytes };
}
