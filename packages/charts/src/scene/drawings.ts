/**
 * What a reader has drawn, in indigo. Lines and fills are behind the cells and in front of candles; names and measured
 * numbers are cards in front, on ground where they cover the fewest bars.
 */

import { measureBox } from '../series/range.ts';
import type { Drawing, SpanDrawing } from '../spec/drawing.ts';
import { lengthText } from './duration-text.ts';
import { barBoxes, emptyGround } from './empty-ground.ts';
import type { Frame } from './frame.ts';
import { countText, MINUS, priceText, signedText } from './number-text.ts';
import { plate } from './plates.ts';
import { paintRangeBox } from './range-box.ts';
import { paint, segment } from './shapes.ts';
import { placeOfNs } from './window.ts';

const FILL = 0.07;
const MEASURE_FILL = 0.1;
const NAME = { align: 'left', dye: 'accent', size: 11, weight: 560 } as const;
const HANDLE = 4.5;
const CARD = { width: 152, height: 84, padding: 12, line: 18.5 };

/** Whole columns and whole prices of a span, in pixels. */
interface Box {
  readonly first: number;
  readonly last: number;
  readonly left: number;
  readonly right: number;
  /** Of `from` and `to`. */
  readonly fromX: number;
  readonly toX: number;
  readonly fromY: number;
  readonly toY: number;
}

export function paintDrawingLines(frame: Frame): void {
  for (const drawing of shownDrawings(frame)) paintLine(frame, drawing);
}

export function paintDrawingCards(frame: Frame): void {
  for (const drawing of shownDrawings(frame)) {
    paintCard(frame, drawing);
    if (drawing.key === frame.input.selectedDrawing) paintHandles(frame, drawing);
    frame.mark(drawing.key, `drawing-${drawing.kind}`, drawing.key, numbersOf(drawing), 0, 0, [
      drawing.text,
    ]);
  }
}

function shownDrawings({ input }: Frame): readonly Drawing[] {
  return input.areDrawingsHidden === true ? [] : input.drawings;
}

function paintLine(frame: Frame, drawing: Drawing): void {
  const { shapes, layout } = frame;
  const accent = paint('accent');
  switch (drawing.kind) {
    case 'line': {
      const y = Math.round(frame.priceY(drawing.ticks)) + 0.5;
      segment(shapes.lines(accent, 1.25), 0, y, layout.plotWidth, y);
      return;
    }
    case 'trend': {
      const { first, last, fromX, fromY, toX, toY } = boxOf(frame, drawing);
      // It stands for its instants, so for the middles of their bars.
      const half = first === last ? 0 : frame.window.columnWidth / 2;
      segment(shapes.lines(accent, 1.5), fromX + half, fromY, toX + half, toY);
      return;
    }
    case 'rectangle':
    case 'measure':
      paintBox(frame, drawing);
      return;
    case 'range':
    case 'text':
      return;
    default:
      drawing satisfies never;
  }
}

function paintBox(frame: Frame, drawing: SpanDrawing): void {
  const { shapes } = frame;
  const isMeasure = drawing.kind === 'measure';
  const box = boxOf(frame, drawing);
  const [top, bottom] = [Math.min(box.fromY, box.toY), Math.max(box.fromY, box.toY)];
  const fill = paint('accent', isMeasure ? MEASURE_FILL : FILL);
  shapes.rect(fill, box.left, top, box.right - box.left, bottom - top);
  const [x0, x1] = [Math.round(box.left) + 0.5, Math.round(box.right) + 0.5];
  const [y0, y1] = [Math.round(top) + 0.5, Math.round(bottom) + 0.5];
  const { points, ends } = shapes.lines(
    paint('accent'),
    isMeasure ? 1.25 : 1,
    isMeasure ? [4, 3] : [],
  );
  points.add4(x0, y0, x1, y0);
  points.add4(x1, y1, x0, y1);
  points.add2(x0, y0);
  ends.add(points.count);
}

function paintCard(frame: Frame, drawing: Drawing): void {
  switch (drawing.kind) {
    case 'line':
      if (drawing.text !== '')
        plate(frame, 10, frame.priceY(drawing.ticks) - 12, drawing.text, NAME);
      return;
    case 'text': {
      const column = Math.floor(placeOfNs(frame.input.content.bars, BigInt(drawing.at.ns)) + 1e-9);
      plate(frame, frame.x(column), frame.priceY(drawing.at.ticks), drawing.text, NAME);
      return;
    }
    case 'trend':
    case 'rectangle': {
      if (drawing.text === '') return;
      const { left, fromY, toY } = boxOf(frame, drawing);
      plate(frame, left + 6, Math.min(fromY, toY) + 13, drawing.text, NAME);
      return;
    }
    case 'measure':
      paintMeasure(frame, drawing);
      return;
    case 'range': {
      const { first, last } = boxOf(frame, drawing);
      paintRangeBox(frame, { from: first, to: last + 1 });
      return;
    }
    default:
      drawing satisfies never;
  }
}

/** An arrow along the prices, and a card: ticks and price, bars and time, volume and delta of the box. */
function paintMeasure(frame: Frame, drawing: SpanDrawing): void {
  const { shapes, input, tickSizeNanos } = frame;
  const box = boxOf(frame, drawing);
  if (box.right < 0 || box.left > frame.layout.plotWidth) return;
  const [fromTicks, toTicks] = [drawing.from.ticks, drawing.to.ticks];
  const isUp = toTicks >= fromTicks;
  const x = Math.round(box.right) + 8.5;
  const back = isUp ? 5 : -5;
  const { points, ends } = shapes.lines(paint('accent'), 1.25);
  points.add4(x, box.fromY, x, box.toY);
  ends.add(points.count);
  points.add4(x - 4, box.toY + back, x, box.toY);
  points.add2(x + 4, box.toY + back);
  ends.add(points.count);
  const [low, high] = [Math.min(fromTicks, toTicks), Math.max(fromTicks, toTicks)];
  const [first, end] = [box.first, box.last + 1];
  const { volume, delta } = measureBox(input.content.bars.columns, first, end, low, high);
  const ticks = toTicks - fromTicks;
  const sign = ticks < 0 ? MINUS : '+';
  const [count, size] = [Math.round(Math.abs(ticks) * 100) / 100, Math.abs(ticks)];
  const rows = [
    [
      `${sign}${countText(count)} ${count === 1 ? 'tick' : 'ticks'}`,
      `${sign}${priceText(Math.round(size), tickSizeNanos)}`,
    ],
    [`${end - first} ${end - first === 1 ? 'bar' : 'bars'}`, lengthText(spanNs(frame, first, end))],
    ['Volume', countText(volume)],
    ['Delta', signedText(delta)],
  ] as const;
  const [width, height] = [frame.text(CARD.width), frame.text(CARD.height)];
  const xs = [x + 12, x + 52, x + 112, box.left - width - 12, box.left - width - 60, box.left + 12];
  const near = { x: x + 80, y: (box.fromY + box.toY) / 2 };
  const { window, layout, columns, from, to } = frame;
  const { x: left, y: top } = emptyGround({
    ...{ width, height, near, xs },
    plot: { width: layout.plotWidth, height: layout.main.height },
    boxes: barBoxes({ window, layout, shown: [from, to] }, columns),
  });
  paintRows(frame, rows, left, top, delta);
  const numbers = { ticks, bars: end - first, volume, delta };
  frame.mark(drawing.key, 'measure', drawing.key, numbers, left, top, rows.flat());
}

function paintRows(
  frame: Frame,
  rows: readonly (readonly [string, string])[],
  left: number,
  top: number,
  delta: number,
): void {
  const { shapes } = frame;
  const [width, height] = [frame.text(CARD.width), frame.text(CARD.height)];
  shapes.rect(paint('ground'), left, top, width, height, 9);
  shapes.frames(paint('accent'), 1, 9).add4(left + 0.5, top + 0.5, width - 1, height - 1);
  const padding = frame.text(CARD.padding);
  rows.forEach(([name, value], at) => {
    const y = top + frame.text(15 + at * CARD.line);
    const isFirst = at === 0;
    const size = frame.text(12);
    const ink = paint(isFirst ? 'ink' : 'muted');
    shapes.word(ink, size, isFirst ? 620 : 450, 'left', left + padding, y, name);
    const dye = at === rows.length - 1 ? (delta >= 0 ? 'ask' : 'bid') : 'ink';
    shapes.word(paint(dye), size, 580, 'right', left + width - padding, y, value);
  });
}

/** Squares at the places that one can drag. */
function paintHandles(frame: Frame, drawing: Drawing): void {
  const { shapes, layout } = frame;
  const places = handlePlaces(frame, drawing);
  const fills = shapes.rects(paint('ground'), 2);
  const frames = shapes.frames(paint('accent'), 1.5, 2);
  for (const [x, y] of places) {
    if (x < -HANDLE || x > layout.plotWidth + HANDLE) continue;
    for (const rects of [fills, frames]) {
      rects.add4(x - HANDLE, y - HANDLE, 2 * HANDLE, 2 * HANDLE);
    }
  }
}

function handlePlaces(frame: Frame, drawing: Drawing): readonly (readonly [number, number])[] {
  const { plotWidth } = frame.layout;
  if (drawing.kind === 'line') return [[plotWidth / 2, frame.priceY(drawing.ticks)]];
  if (drawing.kind === 'text') {
    const column = Math.floor(placeOfNs(frame.input.content.bars, BigInt(drawing.at.ns)) + 1e-9);
    return [[frame.x(column), frame.priceY(drawing.at.ticks)]];
  }
  const { fromX, toX, fromY, toY, left, right } = boxOf(frame, drawing);
  const half = frame.window.columnWidth / 2;
  if (drawing.kind === 'trend') {
    return [
      [fromX + half, fromY],
      [toX + half, toY],
    ];
  }
  // A range has handles of its own at its edges.
  if (drawing.kind === 'range') return [];
  return [
    [left, fromY],
    [right, toY],
    [left, toY],
    [right, fromY],
  ];
}

function boxOf(frame: Frame, { from, to }: SpanDrawing): Box {
  const { bars } = frame.input.content;
  const columnOf = (ns: string) => Math.floor(placeOfNs(bars, BigInt(ns)) + 1e-9);
  const [fromColumn, toColumn] = [columnOf(from.ns), columnOf(to.ns)];
  const [first, last] = [Math.min(fromColumn, toColumn), Math.max(fromColumn, toColumn)];
  return {
    ...{ first, last, left: frame.x(first), right: frame.x(last + 1) },
    fromX: frame.x(fromColumn),
    toX: frame.x(toColumn),
    fromY: frame.priceY(from.ticks),
    toY: frame.priceY(to.ticks),
  };
}

/** From the begin of the first column to the begin of the one after the last. */
function spanNs({ columns, input }: Frame, first: number, end: number): bigint {
  const begin = columns[first]?.fromNs;
  if (begin === undefined) return 0n;
  const next = columns[end]?.fromNs ?? input.content.bars.last?.endNs ?? begin;
  return next - begin;
}

function numbersOf(drawing: Drawing): Readonly<Record<string, number>> {
  if (drawing.kind === 'line') return { ticks: drawing.ticks };
  if (drawing.kind === 'text') return { ticks: drawing.at.ticks };
  return { fromTicks: drawing.from.ticks, toTicks: drawing.to.ticks };
}
