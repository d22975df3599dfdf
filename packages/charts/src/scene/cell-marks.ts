/**
 * Marks of the cells, none of them by colour alone: the point of control has an outline and a wedge, the value area a
 * bracket, stacked imbalances a rail at their side, an unfinished auction an open ring.
 */

import type { Frame } from './frame.ts';
import { type Ladder, rowGap } from './ladder.ts';
import { paint } from './shapes.ts';

/** Widths of a bar from which marks have room. */
const FROM = { outline: 30, rail: 30, ring: 34, bracket: 48 };
const ROW_PX_MIN = 4;
const RAIL = 2.5;
const RING = 2.75;

export function paintCellMarks(frame: Frame, ladders: readonly Ladder[]): void {
  if (frame.cell.rowHeight >= ROW_PX_MIN) {
    const width = frame.window.columnWidth;
    paintPocs(frame, ladders, width >= FROM.outline);
    if (width >= FROM.bracket) paintBrackets(frame, ladders);
    if (width >= FROM.rail) paintRails(frame, ladders);
    if (width >= FROM.ring) paintRings(frame, ladders);
  }
}

/** Top and height of rows, in whole pixels. */
function spanOf(frame: Frame, ladder: Ladder, from: number, to: number): readonly [number, number] {
  const height = frame.window.tickHeight * ladder.rows.group;
  const top = Math.round(ladder.base - (to + 1) * height);
  return [top, Math.round(ladder.base - from * height) - rowGap(frame) - top];
}

function paintPocs(frame: Frame, ladders: readonly Ladder[], isOutline: boolean): void {
  const { shapes, cell } = frame;
  const ink = paint('ink', cell.weave);
  // Where every cell has a border, this one is heavier.
  const isHeavy = frame.input.hasForcedColours === true;
  const lineWidth = isHeavy ? 3 : cell.numbers > 0 ? 1.5 : 1;
  const outlines = isOutline ? shapes.frames(ink, lineWidth) : null;
  const ticks = isOutline ? null : shapes.rects(ink);
  for (const ladder of ladders) {
    const { rows, left, right, column } = ladder;
    if (rows.poc < 0) continue;
    const [top, height] = spanOf(frame, ladder, rows.poc, rows.poc);
    outlines?.add4(left + 0.5, top + 0.5, right - left - 1, Math.max(1, height - 1));
    ticks?.add4(right, top, 2, Math.max(2, height));
    markOf(frame, column, 'poc', { poc: rows.first + rows.poc * rows.group }, right, top);
  }
}

function paintBrackets(frame: Frame, ladders: readonly Ladder[]): void {
  const { shapes } = frame;
  const brackets = shapes.lines(paint('neutral', 0.8));
  const wedges = shapes.areas(paint('ink'));
  for (const ladder of ladders) {
    const { rows, right, column } = ladder;
    if (rows.poc < 0) continue;
    const [top, height] = spanOf(frame, ladder, rows.val, rows.vah);
    const x = right + 4.5;
    const [upper, lower] = [top + 0.5, top + height - 0.5];
    brackets.points.add4(x - 2, upper, x, upper);
    brackets.points.add4(x, lower, x - 2, lower);
    brackets.ends.add(brackets.points.count);
    const [pocTop, pocHeight] = spanOf(frame, ladder, rows.poc, rows.poc);
    const y = pocTop + pocHeight / 2;
    wedges.points.add4(right + 1, y, right + 6, y - 3.5);
    wedges.points.add2(right + 6, y + 3.5);
    wedges.ends.add(wedges.points.count);
    const area = {
      vah: rows.first + rows.vah * rows.group,
      val: rows.first + rows.val * rows.group,
    };
    markOf(frame, column, 'value-area', area, x, top);
  }
}

function paintRails(frame: Frame, ladders: readonly Ladder[]): void {
  const { shapes } = frame;
  const asks = shapes.rects(paint('ask'));
  const bids = shapes.rects(paint('bid'));
  for (const ladder of ladders) {
    const { rows, left, askRight, right, column } = ladder;
    for (const { side, from, to } of rows.stacks) {
      const [top, height] = spanOf(frame, ladder, from, to);
      const x = side < 0 ? left - RAIL - 1 : askRight < right ? askRight + 1 : right + 0.5;
      (side < 0 ? bids : asks).add4(x, top, RAIL, height);
      const numbers = {
        side,
        low: rows.first + from * rows.group,
        high: rows.first + to * rows.group,
      };
      markOf(frame, column, 'stack', numbers, x, top);
    }
  }
}

function paintRings(frame: Frame, ladders: readonly Ladder[]): void {
  const { shapes, input, columns } = frame;
  const rings = shapes.discs(paint('ink', 0), 0, 1.25);
  const isHalved = input.spec.look === 'bidask' || input.spec.look === 'two';
  for (const { rows, base, left, right, spine, column } of ladders) {
    const bar = columns[column]!;
    if (bar.kind === 'gap' || !bar.isFinal) continue;
    const x = isHalved ? spine : (left + right) / 2;
    const top = base - rows.count * frame.window.tickHeight * rows.group;
    if (rows.isUnfinishedHigh) {
      rings.add3(x, top - 6, RING);
      frame.mark('bars', 'unfinished', bar.id, { kind: 1, price: bar.high }, x, top - 6);
    }
    if (rows.isUnfinishedLow) {
      rings.add3(x, base + 5, RING);
      frame.mark('bars', 'unfinished', bar.id, { kind: -1, price: bar.low }, x, base + 5);
    }
  }
}

function markOf(
  frame: Frame,
  column: number,
  shape: string,
  numbers: Readonly<Record<string, number>>,
  x: number,
  y: number,
): void {
  if (frame.marks === null) return;
  const bar = frame.columns[column]!;
  if (bar.kind === 'bar') frame.mark('bars', shape, bar.id, numbers, x, y);
}
