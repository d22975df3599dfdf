/** What a layer says about one bar, for the legend row: a value, and a fainter note beside it. */

import { betweenText, countText, priceText, signedText } from '@tapeloom/charts/scene/number-text';
import type { ChartBar } from '@tapeloom/charts/series/chart-bar';
import type { KeptObject, ObjectSeries } from '@tapeloom/charts/series/object-series';
import type { IndicatorId, IndicatorTypes } from '@tapeloom/protocol/indicators';
import { counted } from '../../components/number-text.ts';

export interface LegendValue {
  readonly value: string;
  readonly note: string;
}

interface Asked {
  readonly objects: ObjectSeries;
  readonly bar: ChartBar;
  readonly tickSizeNanos: number;
}

type Say = (asked: Asked) => LegendValue;

const NONE: LegendValue = { value: '', note: '' };

const LEVEL_NAMES: Readonly<Record<string, string>> = {
  open: 'Open',
  high: 'High',
  low: 'Low',
  previousHigh: 'Previous high',
  previousLow: 'Previous low',
  previousClose: 'Previous close',
  overnightHigh: 'Overnight high',
  overnightLow: 'Overnight low',
  initialBalanceHigh: 'IB high',
  initialBalanceLow: 'IB low',
};

const SAYS: Readonly<Record<string, Say>> = {
  vwap: ({ objects, bar, tickSizeNanos }) => {
    const data = dataOf<'vwap'>(latestAt(objects, bar));
    if (data === null) return NONE;
    const deviation = betweenText(data.deviation, tickSizeNanos);
    return { value: betweenText(data.vwap, tickSizeNanos), note: `σ ${deviation}` };
  },
  'volume-profile': ({ objects, bar, tickSizeNanos }) => {
    const data = dataOf<'volume-profile'>(latestAt(objects, bar));
    return data === null ? NONE : { value: `POC ${priceText(data.poc, tickSizeNanos)}`, note: '' };
  },
  tpo: ({ objects, bar, tickSizeNanos }) => {
    const data = dataOf<'tpo'>(latestAt(objects, bar));
    if (data === null) return NONE;
    const singles = data.singles.length === 0 ? '' : counted(data.singles.length, 'single');
    return { value: `POC ${priceText(data.poc, tickSizeNanos)}`, note: singles };
  },
  delta: ({ objects, bar }) => {
    const data = dataOf<'delta'>(latestAt(objects, bar));
    return data === null ? NONE : { value: signedText(data.close), note: '' };
  },
  'large-trades': (asked) => ofEvents(within<'large-trades'>(asked), ({ size }) => size),
  sweeps: (asked) => ofEvents(within<'sweeps'>(asked), ({ size }) => size),
  absorption: (asked) => ofEvents(within<'absorption'>(asked), ({ volume }) => volume),
  imbalances: (asked) => ofOpen(asked),
  'unfinished-auctions': (asked) => ofOpen(asked),
  'naked-levels': (asked) => nearestLevel(asked, () => ''),
  'session-levels': (asked) => nearestLevel(asked, (kind) => LEVEL_NAMES[kind] ?? kind),
  'tape-speed': (asked) => {
    const seconds = within<'tape-speed'>(asked);
    if (seconds.length === 0) return NONE;
    const rate = seconds.reduce((most, data) => Math.max(most, data.rate), 0);
    const average = seconds.at(-1)!.average;
    return { value: `${rateText(rate)}/s`, note: `average ${rateText(average)}` };
  },
};

export function legendValue(indicator: string, asked: Asked): LegendValue {
  const say = SAYS[indicator];
  if (say !== undefined) return say(asked);
  return { value: counted(asked.objects.size, 'object'), note: '' };
}

/** A distance in whole ticks: `+12 ticks`. */
function distanceText(ticks: number): string {
  const whole = Math.round(ticks);
  return `${signedText(whole)} ${Math.abs(whole) === 1 ? 'tick' : 'ticks'}`;
}

/** The object of the bar itself, or the newest that began before the bar ended. */
function latestAt(objects: ObjectSeries, bar: ChartBar): KeptObject | null {
  const own = objects.get(bar.id);
  if (own !== undefined && own.ts === bar.fromNs) return own;
  const { all } = objects;
  return all[countUntil(all, bar.endNs) - 1] ?? null;
}

/** The data of objects that began while the bar formed. */
function within<I extends IndicatorId>({ objects, bar }: Asked): IndicatorTypes[I]['data'][] {
  const { all } = objects;
  const to = countUntil(all, bar.endNs);
  const from = countUntil(all, bar.fromNs - 1n);
  return all.slice(from, to).map(({ data }) => data as IndicatorTypes[I]['data']);
}

function ofEvents<Data>(events: readonly Data[], sizeOf: (event: Data) => number): LegendValue {
  if (events.length === 0) return { value: 'none', note: '' };
  const largest = events.reduce((most, event) => Math.max(most, sizeOf(event)), 0);
  return { value: `${events.length}, largest ${countText(largest)}`, note: '' };
}

function openAt({ objects, bar }: Asked): readonly KeptObject[] {
  return objects.all.filter(
    ({ ts, removedNs }) => ts <= bar.endNs && (removedNs === null || removedNs > bar.endNs),
  );
}

function ofOpen(asked: Asked): LegendValue {
  return { value: `${openAt(asked).length} open`, note: '' };
}

function nearestLevel(asked: Asked, nameOf: (kind: string) => string): LegendValue {
  const { close } = asked.bar;
  const levels = openAt(asked).map(
    ({ data }) => data as { readonly kind: string; readonly price: number },
  );
  const [first, ...others] = levels;
  if (first === undefined) return { value: 'none', note: '' };
  const nearest = others.reduce(
    (best, level) => (Math.abs(level.price - close) < Math.abs(best.price - close) ? level : best),
    first,
  );
  const name = nameOf(nearest.kind);
  const distance = distanceText(nearest.price - close);
  return name === ''
    ? { value: String(levels.length), note: `nearest ${distance}` }
    : { value: name, note: distance };
}

function dataOf<I extends IndicatorId>(
  object: KeptObject | null,
): IndicatorTypes[I]['data'] | null {
  return object === null ? null : (object.data as IndicatorTypes[I]['data']);
}

/** How many objects began at or before the instant. */
function countUntil(all: readonly KeptObject[], ns: bigint): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.ts <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rateText(rate: number): string {
  return rate >= 100 ? countText(rate) : rate.toFixed(1);
}
