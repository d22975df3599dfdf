/** The chart's bars as table rows, for screen readers and for readers who want numbers. */

import { countText, signedText } from '../../footprint/chart-batch.ts';
import type { ChartBar } from '../../footprint/chart-model.ts';
import { timeText } from '../../footprint/price-axis.ts';

export const BAR_COLUMNS = {
  /** With a suffix for a forming bar. */
  time: 'Time, UTC',
  open: 'Open',
  high: 'High',
  low: 'Low',
  close: 'Close',
  volume: 'Volume',
  delta: 'Delta',
  poc: 'POC',
  valueArea: 'Value area',
  imbalances: 'Imbalances',
  large: 'Large trades',
} as const;

export type BarRow = Readonly<Record<'id' | keyof typeof BAR_COLUMNS, string>>;

/** Newest first. */
export function barRows(
  bars: readonly ChartBar[],
  priceText: (ticks: number) => string,
): readonly BarRow[] {
  return bars.toReversed().map((bar) => ({
    id: bar.id,
    time: bar.isFinal ? timeText(bar.openMs) : `${timeText(bar.openMs)}, forming`,
    open: priceText(bar.open),
    high: priceText(bar.high),
    low: priceText(bar.low),
    close: priceText(bar.close),
    volume: countText(bar.volume),
    delta: signedText(bar.delta),
    poc: bar.poc === null ? 'none' : priceText(bar.poc),
    valueArea:
      bar.val === null || bar.vah === null
        ? 'none'
        : `${priceText(bar.val)} to ${priceText(bar.vah)}`,
    imbalances: imbalanceText(bar),
    large: largeText(bar),
  }));
}

function imbalanceText({ levels }: ChartBar): string {
  const buys = levels.filter(({ isAskStrong }) => isAskStrong).length;
  const sells = levels.filter(({ isBidStrong }) => isBidStrong).length;
  return buys + sells === 0 ? 'none' : `${buys} buy, ${sells} sell`;
}

function largeText({ large }: ChartBar): string {
  return large.map(({ side, size }) => signedText(side * size)).join(', ') || 'none';
}
