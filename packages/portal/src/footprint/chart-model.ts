/**
 * The content of a footprint chart, from the objects of a client's state: a session's bars with their large trades, its
 * volume by price with the value area, and the cumulative delta. Bars missing in the state stay missing.
 */

import type { DataOf, IndicatorObject } from '@tapeloom/client/stream';
import { pocIndex } from '@tapeloom/core/studies/poc';
import { valueArea } from '@tapeloom/core/studies/value-area';

const VALUE_AREA_PERCENT = 70;
const MS_NS = 1_000_000n;

export interface ChartLevel {
  /** The lowest price of the row, in ticks. */
  readonly row: number;
  readonly bid: number;
  readonly ask: number;
  readonly isBidStrong: boolean;
  readonly isAskStrong: boolean;
}

export interface LargeTrade {
  readonly side: -1 | 1;
  readonly size: number;
  /** The middle of its price range, in ticks. */
  readonly ticks: number;
}

export interface ChartBar {
  readonly id: string;
  readonly isFinal: boolean;
  /** When it opened, in milliseconds since 1970. */
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly delta: number;
  readonly poc: number | null;
  readonly vah: number | null;
  readonly val: number | null;
  readonly levels: readonly ChartLevel[];
  readonly large: readonly LargeTrade[];
  /** Of the session, at the end of this bar. */
  readonly cumulativeDelta: number;
}

export interface SessionProfile {
  /** Volume by row. */
  readonly rows: ReadonlyMap<number, number>;
  readonly poc: number;
  readonly vah: number;
  readonly val: number;
}

export interface ChartModel {
  readonly bars: readonly ChartBar[];
  readonly profile: SessionProfile | null;
  /** Ticks per row. */
  readonly group: number;
}

type Footprint = IndicatorObject<'footprint'>;
type Large = IndicatorObject<'large-trades'>;

/** Caches final bars, which never change. */
export class ChartModels {
  readonly #group: number;
  readonly #finals = new Map<string, ChartBar>();

  constructor(group: number) {
    this.#group = group;
  }

  /** All bars of a session so far, oldest first. */
  model(footprints: Iterable<Footprint>, larges: Iterable<Large>): ChartModel {
    const objects = [...footprints];
    const starts = objects.map(({ ts }) => ts);
    const large = largeByBar(starts, larges);
    const bars: ChartBar[] = [];
    let cumulative = 0;
    for (const [index, object] of objects.entries()) {
      cumulative += object.data.delta;
      bars.push(this.#bar(object, large.get(index) ?? [], cumulative));
    }
    return { bars, profile: profileOf(bars), group: this.#group };
  }

  #bar(object: Footprint, large: readonly LargeTrade[], cumulative: number): ChartBar {
    const known = this.#finals.get(object.id);
    const isKnown = known?.large.length === large.length && known.cumulativeDelta === cumulative;
    if (isKnown) return known;
    const bar = barOf(object, large, cumulative);
    if (bar.isFinal) this.#finals.set(bar.id, bar);
    return bar;
  }
}

function barOf(
  { id, final, ts, data }: Footprint,
  large: readonly LargeTrade[],
  cumulativeDelta: number,
): ChartBar {
  const { open, high, low, close, volume, delta, poc, vah, val } = data;
  const sides = data.imbalances.map(([row, side]) => `${row} ${side}`);
  const strong = new Set(sides);
  const levels = (data.levels as DataOf<'footprint'>['levels']).map(([row, bid, ask]) => ({
    row: row!,
    bid: bid!,
    ask: ask!,
    isBidStrong: strong.has(`${row} -1`),
    isAskStrong: strong.has(`${row} 1`),
  }));
  const numbers = { open, high, low, close, volume, delta, poc, vah, val, cumulativeDelta };
  return { id, isFinal: final, openMs: Number(ts / MS_NS), ...numbers, levels, large };
}

/** A large trade belongs to the last bar that opened at or before its time. */
function largeByBar(starts: readonly bigint[], larges: Iterable<Large>): Map<number, LargeTrade[]> {
  const byBar = new Map<number, LargeTrade[]>();
  for (const { ts, data } of larges) {
    const index = starts.findLastIndex((start) => start <= ts);
    if (index < 0) continue;
    const trades = byBar.get(index) ?? [];
    trades.push({ side: data.side, size: data.size, ticks: (data.high + data.low) / 2 });
    byBar.set(index, trades);
  }
  return byBar;
}

/** The session's volume by row; null without trades. */
function profileOf(bars: readonly ChartBar[]): SessionProfile | null {
  const sums = new Map<number, number>();
  for (const { levels } of bars) {
    for (const { row, bid, ask } of levels) sums.set(row, (sums.get(row) ?? 0) + bid + ask);
  }
  const rows = new Map([...sums].sort(([a], [b]) => a - b));
  const price = Float64Array.from(rows.keys());
  const total = Float64Array.from(rows.values());
  const counted = { count: rows.size, price, total, touched: total };
  const most = pocIndex(counted, 'centre');
  if (most < 0) return null;
  const [low, high] = valueArea(counted, most, VALUE_AREA_PERCENT);
  return { rows, poc: price[most]!, val: price[low]!, vah: price[high]! };
}
