/** What a chart says in words: its label, what lies under the crosshair, and the kinds of bars. */

import type { CellHit } from '../scene/hit.ts';
import { countText, priceText, signedText } from '../scene/number-text.ts';
import type { TimeText } from '../scene/scene-types.ts';
import type { ChartBar, Column } from '../series/chart-bar.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { BarChoice, ChartSpec } from '../spec/chart-spec.ts';
import type { Tool } from './view-options.ts';

const DEFAULT_TICK_NANOS = 10_000_000;
const UNITS: readonly (readonly [seconds: number, one: string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

export function tickSizeOf({ instrument }: ChartContent): number {
  return instrument?.tickSizeNanos ?? DEFAULT_TICK_NANOS;
}

/** "5 minutes", "1,000 trades a bar" */
export function barWords({ kind, size }: BarChoice): string {
  if (kind !== 'time') return `${countText(size)} ${PER_BAR[kind]} a bar`;
  const [seconds, unit] = UNITS.find(([each]) => size % each === 0) ?? [1, 'second'];
  const count = size / seconds;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const PER_BAR = {
  tick: 'trades',
  volume: 'lots',
  range: 'ticks of range',
  delta: 'lots of delta',
  renko: 'ticks, renko,',
} as const;

/** The chart's label: what it shows, in one go. */
export function chartSentence(
  content: ChartContent,
  spec: ChartSpec,
  shown: readonly [from: number, to: number],
  time: TimeText,
): string {
  const { instrument, bars } = content;
  const name = [instrument?.title ?? spec.instrument, barWords(spec.bar)].join(', ');
  const { last } = bars;
  const columns = bars.columns.slice(shown[0], shown[1]);
  const inView = columns.filter(({ kind }) => kind === 'bar').length;
  if (last === null) return `${name}. No bars yet.`;
  const tick = tickSizeOf(content);
  const span =
    inView === 0
      ? 'no bars in view'
      : `${countText(inView)} ${inView === 1 ? 'bar' : 'bars'} from ${whenText(columns[0]!, time)} to ${whenText(columns.at(-1)!, time)} ${time.zone}`;
  return (
    `${name}, ${span}. Last price ${priceText(last.close, tick)}. ` +
    `${last.isFinal ? 'Last' : 'This'} bar: volume ${countText(last.volume)}, delta ${signedText(last.delta)}. ` +
    'Arrows move the crosshair. V opens a table, question mark lists the keys.'
  );
}

export function whenText({ fromNs }: Column, time: TimeText): string {
  return `${time.day(fromNs)}, ${time.clock(fromNs)}`;
}

/** What a screen reader says at the crosshair. */
export function hoverSentence(
  content: ChartContent,
  column: Column,
  hit: CellHit | null,
  time: TimeText,
): string {
  if (column.kind === 'gap') {
    return `Gap from ${time.clock(column.fromNs)} to ${time.clock(column.endNs)}, no data.`;
  }
  const tick = tickSizeOf(content);
  const clock = time.clock(column.fromNs);
  if (hit === null) return `${clock}. ${barSentence(column, tick)}`;
  return `${clock}, ${rowText(hit, tick)}. Bid ${countText(hit.bid)}, ask ${countText(hit.ask)}, delta ${signedText(hit.delta)}. ${hit.why.join(' ')}`.trim();
}

function barSentence(bar: ChartBar, tick: number): string {
  const price = (ticks: number) => priceText(ticks, tick);
  return (
    `Open ${price(bar.open)}, high ${price(bar.high)}, low ${price(bar.low)}, close ${price(bar.close)}, ` +
    `volume ${countText(bar.volume)}, delta ${signedText(bar.delta)}.`
  );
}

/** "5549.00–5549.25", or one price */
export function rowText(
  row: { readonly low: number; readonly high: number },
  tick: number,
): string {
  const low = priceText(row.low, tick);
  return row.high > row.low ? `${low}–${priceText(row.high, tick)}` : low;
}

/** What a tool waits for, for people who hear it. */
export const TOOL_SENTENCES: Readonly<Record<Tool, string>> = {
  crosshair: 'Crosshair.',
  range: 'Range. Enter sets its first bar at the crosshair, then its last.',
  line: 'Horizontal line. Enter draws it at the crosshair.',
  trend: 'Trend line. Enter sets its two ends at the crosshair.',
  rectangle: 'Rectangle. Enter sets two corners at the crosshair.',
  text: 'Text. Enter writes at the crosshair.',
  measure: 'Measure. Enter sets two corners at the crosshair.',
};
