/**
 * Events at a moment and a price: large trades as discs whose area is their size, sweeps as arrows over their prices,
 * absorption as diamonds. They stand in the gutter, or on the candle, where no number is. The larger one wins a place.
 */

import type { ObjectSeries } from '../series/object-series.ts';
import type { AreasBatch } from './batch.ts';
import type { Frame } from './frame.ts';
import { eachOnScreen, type Layer, layersOf } from './layer-objects.ts';
import { shortText } from './number-text.ts';
import { paint, write } from './shapes.ts';

const RADIUS = { gutter: 13, candle: 9, least: 3, leastCap: 4.5 };
const NUMBER_FROM = 9;
const ARROW_FROM = 4;
/** Discs may overlap by the rest of their radii. */
const DISTANCE_SHARE = 0.62;
/** On a candle, of a bar's width. */
const OF_COLUMN = 0.6;
const FILL = paint('ink', 0.2, 0.34);
/** Narrower bars have no room for marks beside discs. */
const SMALL_FROM_PX = 8;
/** Sweeps on candles, of the largest one on screen. */
const FAR_SHARE = 0.25;
const CELL_PX = 32;
/** The largest ones; more could not be told apart. */
const DISCS_MAX = 400;

interface Disc {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly side: -1 | 1;
  readonly size: number;
}

export function paintBubbles(frame: Frame): void {
  for (const layer of layersOf(frame.input, 'sweeps')) paintSweeps(frame, layer);
  const all = paintLargeTrades(frame);
  for (const layer of layersOf(frame.input, 'absorption')) paintAbsorption(frame, layer, all);
}

/** Returns where they are. */
export function paintLargeTrades(frame: Frame): readonly Disc[] {
  const all: Disc[] = [];
  for (const layer of layersOf(frame.input, 'large-trades')) {
    const discs = discsOf(frame, layer);
    paintDiscs(frame, layer.key, discs);
    all.push(...discs);
  }
  return all;
}

const largest = new WeakMap<ObjectSeries<'large-trades'>, { revision: number; size: number }>();

/** Of all objects, so that a disc does not change its size while one pans. */
function largestSize(objects: ObjectSeries<'large-trades'>): number {
  const known = largest.get(objects);
  if (known?.revision === objects.revision) return known.size;
  let size = 1;
  for (const { data } of objects.all) size = Math.max(size, data.size);
  largest.set(objects, { revision: objects.revision, size });
  return size;
}

function discsOf(frame: Frame, layer: Layer<'large-trades'>): Disc[] {
  const { isNear, cell, window } = frame;
  const cap = isNear
    ? Math.min(RADIUS.gutter, Math.max(4, cell.gutter * 0.54))
    : Math.min(RADIUS.candle, Math.max(RADIUS.leastCap, window.columnWidth * OF_COLUMN));
  const most = largestSize(layer.objects);
  const found: Disc[] = [];
  eachOnScreen(frame, layer, ({ id }, { size, side, last }, column) => {
    const y = frame.priceY(last);
    if (y < -cap || y > frame.layout.main.height + cap) return;
    const radius = Math.max(RADIUS.least, Math.sqrt(size / most) * cap);
    found.push({ id, x: frame.candleX(column), y, radius, side, size });
  });
  found.sort((a, b) => b.size - a.size);
  const places = new Places();
  const placed: Disc[] = [];
  for (const disc of found) {
    if (placed.length === DISCS_MAX) break;
    if (places.isTaken(disc)) continue;
    places.take(disc);
    placed.push(disc);
  }
  return placed;
}

/** Discs by squares of the screen, so that each is compared with its neighbours only. */
class Places {
  readonly #bySquare = new Map<number, Disc[]>();

  isTaken({ x, y, radius }: Disc): boolean {
    const [column, row] = [Math.floor(x / CELL_PX), Math.floor(y / CELL_PX)];
    for (let across = column - 1; across <= column + 1; across += 1) {
      for (let down = row - 1; down <= row + 1; down += 1) {
        for (const other of this.#bySquare.get(across * 10_000 + down) ?? []) {
          const distance = Math.hypot(other.x - x, other.y - y);
          if (distance < (other.radius + radius) * DISTANCE_SHARE) return true;
        }
      }
    }
    return false;
  }

  take(disc: Disc): void {
    const key = Math.floor(disc.x / CELL_PX) * 10_000 + Math.floor(disc.y / CELL_PX);
    const known = this.#bySquare.get(key);
    if (known === undefined) this.#bySquare.set(key, [disc]);
    else known.push(disc);
  }
}

function paintDiscs(frame: Frame, key: string, discs: readonly Disc[]): void {
  const { shapes, isNear, targets } = frame;
  const ground = isNear ? 1 : 0;
  const fill = { alpha: FILL.alpha, darkAlpha: FILL.darkAlpha };
  const batches = {
    ask: shapes.discs({ dye: 'ask', ...fill }, ground, 1.25),
    bid: shapes.discs({ dye: 'bid', ...fill }, ground, 1.25),
  };
  const arrows = { ask: shapes.areas(paint('ask')), bid: shapes.areas(paint('bid')) };
  const numbers = [9.5, 8.5].map((size) => shapes.words(paint('ink'), size, 600, 'center'));
  for (const { id, x, y, radius, side, size } of discs) {
    const dye = side > 0 ? 'ask' : 'bid';
    batches[dye].add3(x, y, radius);
    targets.push({
      layerKey: key,
      id,
      ...{ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius },
    });
    const hasNumber = isNear && radius >= NUMBER_FROM;
    const text = size >= 1000 ? thousands(size) : String(size);
    if (hasNumber) write(numbers[radius > 11.5 ? 0 : 1]!, x, y + 0.5, text);
    else if (radius >= ARROW_FROM) arrow(arrows[dye], x, y, Math.min(3, radius * 0.5), side);
    frame.mark(key, 'disc', id, { side, size }, x, y, hasNumber ? [text] : []);
  }
}

/** 2.1k: a disc has room for four characters. */
function thousands(size: number): string {
  return size < 10_000 ? `${(Math.floor(size / 100) / 10).toFixed(1)}k` : shortText(size);
}

function arrow(
  { points, ends }: AreasBatch,
  x: number,
  y: number,
  size: number,
  side: -1 | 1,
): void {
  points.add4(x - size, y + size * 0.6 * side, x, y - size * 0.8 * side);
  points.add2(x + size, y + size * 0.6 * side);
  ends.add(points.count);
}

function paintAbsorption(frame: Frame, layer: Layer<'absorption'>, discs: readonly Disc[]): void {
  const { shapes, isNear, window } = frame;
  if (!isNear && window.columnWidth < SMALL_FROM_PX) return;
  const half = (isNear ? 7 : Math.min(6, Math.max(3, window.columnWidth * 0.5))) * Math.SQRT1_2;
  const grounds = shapes.areas(paint('ground'));
  const batches = { ask: shapes.areas(paint('ask')), bid: shapes.areas(paint('bid')) };
  eachOnScreen(frame, layer, ({ id }, data, column) => {
    const { side, price, volume, trades, maxSlip } = data;
    const x = frame.candleX(column);
    let y = frame.priceY(price);
    // It steps aside for a disc: buyers were held from above, sellers from below.
    for (const disc of discs) {
      if (Math.abs(disc.x - x) < disc.radius && Math.abs(disc.y - y) < disc.radius + half) {
        y = disc.y - side * (disc.radius + half + 1);
      }
    }
    diamond(grounds, x, y, half + 1.5);
    diamond(batches[side > 0 ? 'ask' : 'bid'], x, y, half);
    const box = { x: x - half, y: y - half, width: 2 * half, height: 2 * half };
    frame.targets.push({ layerKey: layer.key, id, ...box });
    frame.mark(layer.key, 'diamond', id, { side, price, volume, trades, maxSlip }, x, y);
  });
}

function diamond({ points, ends }: AreasBatch, x: number, y: number, half: number): void {
  points.add4(x - half, y, x, y - half);
  points.add4(x + half, y, x, y + half);
  ends.add(points.count);
}

/** From the first price to the last. In a bar, a larger sweep hides smaller ones at the same prices. */
function paintSweeps(frame: Frame, layer: Layer<'sweeps'>): void {
  const { shapes, isNear, window } = frame;
  if (!isNear && window.columnWidth < SMALL_FROM_PX) return;
  const byColumn = new Map<
    number,
    { id: string; side: -1 | 1; size: number; first: number; last: number }[]
  >();
  let most = 1;
  eachOnScreen(frame, layer, ({ id }, { side, size, first, last }, column) => {
    most = Math.max(most, size);
    const known = byColumn.get(column);
    if (known === undefined) byColumn.set(column, [{ id, side, size, first, last }]);
    else known.push({ id, side, size, first, last });
  });
  // On candles only large ones, one a bar: more would hide the candles.
  const least = isNear ? 0 : most * FAR_SHARE;
  const lines = { ask: shapes.lines(paint('ask'), 1.5), bid: shapes.lines(paint('bid'), 1.5) };
  for (const [column, sweeps] of byColumn) {
    sweeps.sort((a, b) => b.size - a.size);
    const taken = new Spans();
    const x = Math.round(frame.x(column) + 2) + 0.5;
    for (const { id, side, size, first, last } of isNear ? sweeps : sweeps.slice(0, 1)) {
      if (size < least) break;
      const [from, to] = [frame.priceY(first), frame.priceY(last)];
      if (!taken.take(Math.min(from, to) - 3, Math.max(from, to) + 3)) continue;
      const back = to < from ? 4 : -4;
      const { points, ends } = lines[side > 0 ? 'ask' : 'bid'];
      points.add4(x, from, x, to);
      ends.add(points.count);
      points.add4(x - 3, to + back, x, to);
      points.add2(x + 3, to + back);
      ends.add(points.count);
      const box = {
        x: x - 4,
        y: Math.min(from, to) - 3,
        width: 8,
        height: Math.abs(to - from) + 6,
      };
      frame.targets.push({ layerKey: layer.key, id, ...box });
      frame.mark(layer.key, 'arrow', id, { side, size, first, last }, x, to);
    }
  }
}

/** Heights that are taken. */
class Spans {
  readonly #spans: number[] = [];

  take(from: number, to: number): boolean {
    for (let at = 0; at < this.#spans.length; at += 2) {
      if (from < this.#spans[at + 1]! && to > this.#spans[at]!) return false;
    }
    this.#spans.push(from, to);
    return true;
  }
}
