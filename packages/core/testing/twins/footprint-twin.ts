/** The naive twin of the footprint: rows in a list, everything found by searching it. */

import { type BarParams, barData, barTwin, type Part, type TwinBar } from './bar-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

export interface ProfileParams {
  readonly group: number;
  readonly valueArea: number;
  readonly pocTie: string;
}

export interface FootprintParams extends BarParams, ProfileParams {
  readonly ratio: number;
  readonly minVolume: number;
  readonly zero: string;
}

export interface TwinRow {
  readonly price: number;
  readonly volume: number;
  /** Index of the part that brought it to its volume. */
  readonly reachedBy: number;
}

interface Row extends TwinRow {
  readonly bid: number;
  readonly ask: number;
  readonly unknown: number;
}

export function footprintTwin(tape: TwinTape, params: FootprintParams): TwinUpdate[] {
  return barTwin(tape, params, (bar, end) => footprintData(bar, end, params));
}

function footprintData(bar: TwinBar, end: bigint, params: FootprintParams) {
  const rows = rowsOf(bar.parts, params.group);
  return {
    ...barData(bar, end),
    levels: levelsOf(rows),
    ...keyPricesOf(rows, params),
    imbalances: imbalancesOf(rows, params),
  };
}

export function levelsOf(rows: readonly Row[]): number[][] {
  return rows.map(({ price, bid, ask, unknown }) =>
    unknown === 0 ? [price, bid, ask] : [price, bid, ask, unknown],
  );
}

export function keyPricesOf(rows: readonly TwinRow[], params: ProfileParams) {
  const poc = pocOf(rows, params.pocTie);
  const area = areaOf(rows, poc, params.valueArea).map((row) => row.price);
  return {
    poc: poc?.price ?? null,
    vah: poc === undefined ? null : Math.max(...area),
    val: poc === undefined ? null : Math.min(...area),
  };
}

export function rowsOf(parts: readonly Part[], group: number): Row[] {
  const rowPrice = (part: Part) => Math.floor(part.price / group) * group;
  const prices = [...new Set(parts.map(rowPrice))].sort((a, b) => a - b);
  return prices.map((price) => {
    const mine = parts.filter((part) => rowPrice(part) === price);
    const of = (side: number) =>
      mine.filter((part) => part.side === side).reduce((all, part) => all + part.size, 0);
    const [bid, ask, unknown] = [of(-1), of(1), of(0)];
    const reachedBy = parts.lastIndexOf(mine.at(-1)!);
    return { price, bid, ask, unknown, volume: bid + ask + unknown, reachedBy };
  });
}

function pocOf(rows: readonly TwinRow[], tie: string): TwinRow | undefined {
  const most = Math.max(...rows.map((row) => row.volume));
  const tied = rows.filter((row) => row.volume === most);
  if (tie === 'lowest') return tied[0];
  if (tie === 'highest') return tied.at(-1);
  if (tie === 'first') return tied.toSorted((a, b) => a.reachedBy - b.reachedBy)[0];
  const middle = rows.length === 0 ? 0 : (rows[0]!.price + rows.at(-1)!.price) / 2;
  const distance = (row: TwinRow) => Math.abs(row.price - middle);
  return tied.toSorted((a, b) => distance(a) - distance(b) || a.price - b.price)[0];
}

function areaOf(rows: readonly TwinRow[], poc: TwinRow | undefined, percent: number): TwinRow[] {
  if (poc === undefined) return [];
  const volume = (list: readonly TwinRow[]) => list.reduce((all, row) => all + row.volume, 0);
  const area = [poc];
  const above = rows.filter((row) => row.price > poc.price);
  const below = rows.filter((row) => row.price < poc.price).reverse();
  while (volume(area) < (percent / 100) * volume(rows) - 1e-9) {
    const up = volume(above.slice(0, 2)) >= volume(below.slice(0, 2));
    area.push(...(up ? above : below).splice(0, 2));
  }
  return area;
}

export function imbalancesOf(
  rows: readonly Row[],
  params: Pick<FootprintParams, 'group' | 'ratio' | 'minVolume' | 'zero'>,
): number[][] {
  const at = (price: number) => rows.find((row) => row.price === price);
  const holds = (volume: number, opposite: number) =>
    volume >= params.minVolume &&
    (opposite === 0 ? params.zero === 'count' : volume / opposite >= params.ratio - 1e-9);
  return rows.flatMap((row) => {
    const found: number[][] = [];
    if (holds(row.bid, at(row.price + params.group)?.ask ?? 0)) found.push([row.price, -1]);
    if (holds(row.ask, at(row.price - params.group)?.bid ?? 0)) found.push([row.price, 1]);
    return found;
  });
}
