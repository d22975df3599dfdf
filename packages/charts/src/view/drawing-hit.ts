/** Which drawing lies under a point, and which part of it. Pixels of the plot; no state. */

import type { Drawing, DrawingPoint, SpanDrawing } from '../spec/drawing.ts';

/** `from-to`: the corner at the first time and the second price. */
export type DrawingPart = 'body' | 'from' | 'to' | 'from-to' | 'to-from';

export interface DrawingHit {
  readonly key: string;
  readonly part: DrawingPart;
}

export interface Handle {
  readonly part: DrawingPart;
  readonly x: number;
  readonly y: number;
}

/** Where places of drawings are on screen. */
export interface DrawingGround {
  readonly plotWidth: number;
  readonly plotHeight: number;
  xOf(ns: bigint): number;
  /** The middle of that column: the ends of a trend line. */
  centreXOf(ns: bigint): number;
  /** The right edge of the column that contains the instant. */
  endXOf(ns: bigint): number;
  yOf(ticks: number): number;
  /** Width of a text as the chart writes it. */
  widthOf(text: string): number;
}

const LINE_PX = 5;
const LINE_TOUCH_PX = 14;
/** Half of a handle's square: 44 px on touch. */
const HANDLE_PX = 9;
const HANDLE_TOUCH_PX = 22;
const TEXT_HEIGHT_PX = 18;
const TEXT_PADDING_PX = 10;

/** The topmost drawing at the point. A selected drawing's handles win over everything. */
export function drawingAt(
  drawings: readonly Drawing[],
  ground: DrawingGround,
  point: { readonly x: number; readonly y: number },
  options: { readonly isTouch: boolean; readonly selected: string | null },
): DrawingHit | null {
  const selected = drawings.find(({ key }) => key === options.selected);
  if (selected !== undefined) {
    const part = handleAt(selected, ground, point, options.isTouch);
    if (part !== null) return { key: selected.key, part };
  }
  const near = options.isTouch ? LINE_TOUCH_PX : LINE_PX;
  const hit = drawings.findLast((drawing) => isOn(drawing, ground, point, near));
  return hit === undefined ? null : { key: hit.key, part: 'body' };
}

/** Where a drawing can be taken to change its form. */
export function handlesOf(drawing: Drawing, ground: DrawingGround): readonly Handle[] {
  switch (drawing.kind) {
    case 'line':
      return [{ part: 'body', x: ground.plotWidth / 2, y: ground.yOf(drawing.ticks) }];
    case 'text':
      return [];
    case 'range': {
      const y = ground.plotHeight / 2;
      const [left, right] = spanX(drawing.from, drawing.to, ground);
      const isForward = isBefore(drawing.from, drawing.to);
      return [
        { part: isForward ? 'from' : 'to', x: left, y },
        { part: isForward ? 'to' : 'from', x: right, y },
      ];
    }
    case 'trend':
    case 'rectangle':
    case 'measure':
      return corners(drawing, ground);
    default:
      return drawing satisfies never;
  }
}

function corners(drawing: SpanDrawing, ground: DrawingGround): readonly Handle[] {
  const { from, to, kind } = drawing;
  const [y0, y1] = [ground.yOf(from.ticks), ground.yOf(to.ticks)];
  if (kind === 'trend') {
    return [
      { part: 'from', x: ground.centreXOf(BigInt(from.ns)), y: y0 },
      { part: 'to', x: ground.centreXOf(BigInt(to.ns)), y: y1 },
    ];
  }
  const [left, right] = spanX(from, to, ground);
  const [x0, x1] = isBefore(from, to) ? [left, right] : [right, left];
  return [
    { part: 'from', x: x0, y: y0 },
    { part: 'to', x: x1, y: y1 },
    { part: 'from-to', x: x0, y: y1 },
    { part: 'to-from', x: x1, y: y0 },
  ];
}

function handleAt(
  drawing: Drawing,
  ground: DrawingGround,
  { x, y }: { readonly x: number; readonly y: number },
  isTouch: boolean,
): DrawingPart | null {
  const near = isTouch ? HANDLE_TOUCH_PX : HANDLE_PX;
  const handle = handlesOf(drawing, ground).find(
    (each) => Math.abs(each.x - x) <= near && Math.abs(each.y - y) <= near,
  );
  return handle?.part ?? null;
}

function isOn(
  drawing: Drawing,
  ground: DrawingGround,
  { x, y }: { readonly x: number; readonly y: number },
  near: number,
): boolean {
  switch (drawing.kind) {
    case 'line':
      return Math.abs(y - ground.yOf(drawing.ticks)) <= near;
    case 'text': {
      const [x0, y0] = [ground.xOf(BigInt(drawing.at.ns)), ground.yOf(drawing.at.ticks)];
      const width = ground.widthOf(drawing.text) + TEXT_PADDING_PX;
      return (
        x >= x0 - near && x <= x0 + width + near && Math.abs(y - y0) <= TEXT_HEIGHT_PX / 2 + near
      );
    }
    case 'trend': {
      const [a, b] = corners(drawing, ground);
      return distanceToSegment({ x, y }, a!, b!) <= near;
    }
    case 'range': {
      const [left, right] = spanX(drawing.from, drawing.to, ground);
      return Math.abs(x - left) <= near || Math.abs(x - right) <= near;
    }
    case 'rectangle':
    case 'measure': {
      const [left, right] = spanX(drawing.from, drawing.to, ground);
      const ys = [ground.yOf(drawing.from.ticks), ground.yOf(drawing.to.ticks)];
      const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
      const isNearBox =
        x >= left - near && x <= right + near && y >= top - near && y <= bottom + near;
      // Only the frame: what lies in a box can still be dragged and read.
      const isInside = x > left + near && x < right - near && y > top + near && y < bottom - near;
      return isNearBox && !isInside;
    }
    default:
      return drawing satisfies never;
  }
}

/** Left and right edge of a span: whole columns. */
function spanX(
  from: DrawingPoint,
  to: DrawingPoint,
  ground: DrawingGround,
): readonly [number, number] {
  const [first, last] = isBefore(from, to) ? [from, to] : [to, from];
  return [ground.xOf(BigInt(first.ns)), ground.endXOf(BigInt(last.ns))];
}

function isBefore(from: DrawingPoint, to: DrawingPoint): boolean {
  return BigInt(from.ns) <= BigInt(to.ns);
}

function distanceToSegment(
  { x, y }: { readonly x: number; readonly y: number },
  a: { readonly x: number; readonly y: number },
  b: { readonly x: number; readonly y: number },
): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - a.x) * dx + (y - a.y) * dy) / length;
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x - a.x - part * dx, y - a.y - part * dy);
}
