/**
 * The columns of a chart in order of time: bars by their id, and gaps. Several bars may begin in one nanosecond; their
 * ids order them.
 */

import type { IndicatorObject } from '@tapeloom/client/stream';
import type { BarsData, FootprintData } from '@tapeloom/protocol/indicators';
import type { ChartBar, Column, GapColumn, Levels } from './chart-bar.ts';
import { compareObjectIds } from './object-order.ts';

export type BarObject = IndicatorObject<'bars'> | IndicatorObject<'footprint'>;

export class BarSeries {
  #columns: Column[] = [];
  readonly #byId = new Map<string, ChartBar>();
  #revision = 0;
  /** Ticks per row of the footprints. */
  readonly #group: number;

  constructor(group = 1) {
    this.#group = group;
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
    const bar = barOf(object, this.#group);
    const before = this.#byId.get(bar.id);
    this.#byId.set(bar.id, bar);
    this.#revision += 1;
    const last = this.#columns.at(-1);
    if (before !== undefined) this.#columns[this.#placeOf(before)] = bar;
    else if (last === undefined || compareColumns(last, bar) < 0) this.#columns.push(bar);
    else this.#columns.splice(this.#insertionOf(bar), 0, bar);
  }

  /** Many at once, in any order: one pass instead of one insertion each. */
  putAll(objects: Iterable<BarObject>): void {
    for (const object of objects) {
      const bar = barOf(object, this.#group);
      this.#byId.set(bar.id, bar);
    }
    const gaps = this.#columns.filter(({ kind }) => kind === 'gap');
    this.#columns = [...this.#byId.values(), ...gaps].sort(compareColumns);
    this.#revision += 1;
  }

  putGap(gap: GapColumn): void {
    const isKnown = this.#columns.some(
      (column) => column.kind === 'gap' && column.fromNs === gap.fromNs,
    );
    if (isKnown) return;
    this.#columns.splice(this.#insertionOf(gap), 0, gap);
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
  const { delta, deltaMin, deltaMax, end } = data as BarsData;
  const levels = 'levels' in data ? levelsOf(data as FootprintData, group) : null;
  return {
    kind: 'bar',
    id,
    isFinal: final,
    fromNs: ts,
    endNs: BigInt(end),
    ...{ open, high, low, close, volume, bid, ask, unknown, trades, delta, deltaMin, deltaMax },
    levels,
  };
}

function levelsOf({ levels }: FootprintData, group: number): Levels {
  const count = levels.length;
  const [price, bid, ask, unknown] = Array.from({ length: 4 }, () => new Float64Array(count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  levels.forEach((level, at) => {
    price[at] = level[0];
    bid[at] = level[1];
    ask[at] = level[2];
    unknown[at] = level[3] ?? 0;
  });
  return { group, count, price, bid, ask, unknown };
}
