/**
 * The columns of a chart in order of time: bars by their id, and gaps. Several bars may begin in one nanosecond; their
 * ids order them.
 */

import type { IndicatorObject } from '@tapeloom/client/stream';
import type { FootprintData } from '@tapeloom/protocol/indicators';
import type { ChartBar, Column, GapColumn, Levels } from './chart-bar.ts';
import { compareObjectIds } from './object-order.ts';

export type BarObject = IndicatorObject<'bars'> | IndicatorObject<'footprint'>;

const NUMBERS = [
  ...(['isFinal', 'fromNs', 'endNs', 'open', 'high', 'low', 'close', 'volume', 'bid'] as const),
  ...(['ask', 'unknown', 'trades', 'delta', 'deltaMin', 'deltaMax'] as const),
] as const;

export class BarSeries {
  #columns: Column[] = [];
  readonly #byId = new Map<string, ChartBar>();
  #revision = 0;
  /** Ticks per row of the footprints, as the service summed them. */
  readonly group: number;

  constructor(group = 1) {
    this.group = group;
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  /** Changes whenever the content does. */
  get revision(): number {
    return this.#revision;
  }

  get(id: string): ChartBar | undefined {
    return this.#byId.get(id);
  }

  /** The newest bar. */
  get last(): ChartBar | null {
    const last = this.#columns.at(-1);
    if (last === undefined || last.kind === 'bar') return last ?? null;
    return this.#columns.findLast((column) => column.kind === 'bar') ?? null;
  }

  put(object: BarObject): void {
    const bar = barOf(object, this.group);
    const before = this.#byId.get(bar.id);
    if (before !== undefined && isSameBar(before, bar)) return;
    this.#byId.set(bar.id, bar);
    this.#revision += 1;
    if (before !== undefined) {
      const at = this.#placeOf(before);
      if (before.fromNs === bar.fromNs) {
        this.#columns[at] = bar;
        return;
      }
      this.#columns.splice(at, 1);
    }
    const last = this.#columns.at(-1);
    if (last === undefined || compareColumns(last, bar) < 0) this.#columns.push(bar);
    else this.#columns.splice(this.#insertionOf(bar), 0, bar);
  }

  /** Many at once, in any order: one pass instead of one insertion each. */
  putAll(objects: Iterable<BarObject>): void {
    let hasChanged = false;
    for (const object of objects) {
      const bar = barOf(object, this.group);
      const before = this.#byId.get(bar.id);
      if (before !== undefined && isSameBar(before, bar)) continue;
      this.#byId.set(bar.id, bar);
      hasChanged = true;
    }
    if (!hasChanged) return;
    const gaps = this.#columns.filter(({ kind }) => kind === 'gap');
    this.#columns = [...this.#byId.values(), ...gaps].sort(compareColumns);
    this.#revision += 1;
  }

  /** A gap that begins at the same instant as a known one replaces it: it has grown, or a part was filled. */
  putGap(gap: GapColumn): void {
    const at = this.#insertionOf(gap);
    const known = this.#columns[at];
    const isKnown = known?.kind === 'gap' && known.fromNs === gap.fromNs;
    if (isKnown && known.endNs === gap.endNs && known.why === gap.why) return;
    this.#columns.splice(at, isKnown ? 1 : 0, gap);
    this.#revision += 1;
  }

  remove(id: string): void {
    const bar = this.#byId.get(id);
    if (bar === undefined) return;
    this.#columns.splice(this.#placeOf(bar), 1);
    this.#byId.delete(id);
    this.#revision += 1;
  }

  clear(): void {
    this.#columns = [];
    this.#byId.clear();
    this.#revision += 1;
  }

  /** The last column that begins at or before the instant; -1 if none does. */
  columnAt(ns: bigint): number {
    let [low, high] = [0, this.#columns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#columns[middle]!.fromNs <= ns) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The column of a bar; -1 if it is not here. */
  indexOf(id: string): number {
    const bar = this.#byId.get(id);
    return bar === undefined ? -1 : this.#placeOf(bar);
  }

  #insertionOf(column: Column): number {
    let [low, high] = [0, this.#columns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareColumns(this.#columns[middle]!, column) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #placeOf(bar: ChartBar): number {
    const last = this.#columns.length - 1;
    return this.#columns[last] === bar ? last : this.#insertionOf(bar);
  }
}

function compareColumns(a: Column, b: Column): number {
  if (a.fromNs !== b.fromNs) return a.fromNs < b.fromNs ? -1 : 1;
  if (a.kind === 'gap' || b.kind === 'gap')
    return a.kind === b.kind ? 0 : a.kind === 'gap' ? -1 : 1;
  return compareObjectIds(a.id, b.id);
}

function barOf({ id, final, ts, data }: BarObject, group: number): ChartBar {
  const { open, high, low, close, volume, bid, ask, unknown, trades } = data;
  const { delta, deltaMin, deltaMax, end } = data;
  return {
    kind: 'bar',
    id,
    isFinal: final,
    fromNs: ts,
    endNs: BigInt(end),
    ...{ open, high, low, close, volume, bid, ask, unknown, trades, delta, deltaMin, deltaMax },
    levels: 'levels' in data ? levelsOf(data, group) : null,
  };
}

function levelsOf({ levels, poc }: FootprintData, group: number): Levels {
  const count = levels.length;
  const price = new Float64Array(count);
  const bid = new Float64Array(count);
  const ask = new Float64Array(count);
  const unknown = new Float64Array(count);
  levels.forEach((level, at) => {
    price[at] = level[0];
    bid[at] = level[1];
    ask[at] = level[2];
    unknown[at] = level[3] ?? 0;
  });
  return { group, count, price, bid, ask, unknown, poc };
}

/** A bar that comes again, as after a reset or on a page that overlaps, keeps what was computed of it. */
function isSameBar(a: ChartBar, b: ChartBar): boolean {
  for (const name of NUMBERS) {
    if (a[name] !== b[name]) return false;
  }
  return isSameLevels(a.levels, b.levels);
}

function isSameLevels(a: Levels | null, b: Levels | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.count !== b.count || a.poc !== b.poc) return false;
  for (let at = 0; at < a.count; at += 1) {
    if (a.price[at] !== b.price[at] || a.unknown[at] !== b.unknown[at]) return false;
    if (a.bid[at] !== b.bid[at] || a.ask[at] !== b.ask[at]) return false;
  }
  return true;
}
