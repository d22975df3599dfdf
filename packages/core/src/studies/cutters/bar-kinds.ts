/** The six kinds of bars, and their cutters. */

import type { Params } from '../indicator.ts';
import type { BarCutter, CutBar } from './bar-cutter.ts';
import { DeltaCutter } from './delta-cutter.ts';
import { RangeCutter } from './range-cutter.ts';
import { RenkoCutter } from './renko-cutter.ts';
import { TickCutter } from './tick-cutter.ts';
import { TimeCutter } from './time-cutter.ts';
import { VolumeCutter } from './volume-cutter.ts';

/** A trade starts at most this many bars; the last one takes the rest. */
const BARS_PER_TRADE_MAX = 1_000;

export const BAR_KINDS = ['time', 'tick', 'volume', 'range', 'delta', 'renko'] as const;
type BarKind = (typeof BAR_KINDS)[number];

export function barCutter(
  params: Params,
  bar: CutBar,
  barsPerTradeMax = BARS_PER_TRADE_MAX,
): BarCutter {
  const kind = params.bar as BarKind;
  const size = params.size as number;
  switch (kind) {
    case 'time':
      return new TimeCutter(bar, size);
    case 'tick':
      return new TickCutter(bar, size);
    case 'volume':
      return new VolumeCutter(bar, size, barsPerTradeMax);
    case 'range':
      return new RangeCutter(bar, size);
    case 'delta':
      return new DeltaCutter(bar, size);
    case 'renko':
      return new RenkoCutter(bar, size, barsPerTradeMax);
    default:
      throw new RangeError(`unknown kind of bar: ${kind satisfies never}`);
  }
}
