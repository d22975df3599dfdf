/** The chart's bars as table rows, for screen readers and for readers who want numbers. */

import { countText, priceText, signedText } from '@tapeloom/charts/scene/number-text';
import type { ChartBar } from '@tapeloom/charts/series/chart-bar';
import { BUY, type Rows, rowsOf, SELL } from '@tapeloom/charts/series/rows';
import { UTC_TEXT } from '../../components/utc-text.ts';
import type { StageChart } from './stage-chart.ts';

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

/** The newest bars, newest first. */
export function barRows(chart: StageChart, most: number): readonly BarRow[] {
  const { columns } = chart.content.bars;
  const bars = columns.slice(-most).filter((column) => column.kind === 'bar');
  const large = largeByBar(chart, Math.max(0, columns.length - most));
  return bars.toReversed().map((bar) => rowOf(chart, bar, large.get(bar.id) ?? []));
}

function rowOf({ spec, content }: StageChart, bar: ChartBar, large: readonly string[]): BarRow {
  const { bars, instrument } = content;
  const rows = rowsOf(bar, bars.group, spec.rules);
  const price = (ticks: number) => priceText(ticks, instrument?.tickSizeNanos ?? 0);
  const ofRow = (row: number) => price(rows.first + row * rows.group);
  const time = timeText(bar.fromNs);
  return {
    id: bar.id,
    time: bar.isFinal ? time : `${time}, forming`,
    open: price(bar.open),
    high: price(bar.high),
    low: price(bar.low),
    close: price(bar.close),
    volume: countText(bar.volume),
    delta: signedText(bar.delta),
    poc: rows.poc < 0 ? 'none' : ofRow(rows.poc),
    valueArea: rows.poc < 0 ? 'none' : `${ofRow(rows.val)} to ${ofRow(rows.vah)}`,
    imbalances: imbalanceText(rows),
    large: large.join(', ') || 'none',
  };
}

function imbalanceText({ imbalance }: Rows): string {
  const buys = imbalance.filter((marks) => (marks & BUY) !== 0).length;
  const sells = imbalance.filter((marks) => (marks & SELL) !== 0).length;
  return buys + sells === 0 ? 'none' : `${buys} buy, ${sells} sell`;
}

/** Sizes by the id of their bar, which is the last that began at or before them. */
function largeByBar({ content, large }: StageChart, from: number): Map<string, string[]> {
  const { bars } = content;
  const byBar = new Map<string, string[]>();
  for (const { ts, data } of large.all) {
    const column = bars.columnAt(ts);
    const bar = column < from ? undefined : bars.columns[column];
    if (bar?.kind !== 'bar') continue;
    const sizes = byBar.get(bar.id) ?? [];
    sizes.push(signedText(data.side * data.size));
    byBar.set(bar.id, sizes);
  }
  return byBar;
}

/** To the minute; seconds only if there are any. */
function timeText(ns: bigint): string {
  const text = UTC_TEXT.clock(ns, true);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}
