/** A feed's trades as plain values, independent of batches and decimals. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { FeedInstrument, FeedTrades } from '../../src/feeds/feed-trades.ts';

export interface ReadTrade {
  readonly symbol: string | null;
  readonly ts: bigint;
  readonly price: string;
  readonly size: string;
  readonly side: number;
  readonly row: number;
}

export function plainTrades(
  batch: FeedTrades,
  named: readonly FeedInstrument[],
): readonly ReadTrade[] {
  const { count, instruments, days, ns, sides, ...numbers } = batch;
  return Array.from({ length: count }, (_, at) => ({
    symbol: named[instruments[at]!]!.symbol,
    ts: epochNs(days[at] as UtcDay, ns[at]!),
    price: decimalText(numbers.prices[at]!, numbers.priceDecimals),
    size: decimalText(numbers.sizes[at]!, numbers.sizeDecimals),
    side: sides[at]!,
    row: batch.rowOf(at),
  }));
}

function decimalText(mantissa: number, decimals: number): string {
  const digits = String(Math.abs(mantissa)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${mantissa < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
