/** VWAP: a line of ink with bands in neutral, dashed at one deviation and dotted beyond. It ends at sessions and gaps. */

import type { VwapData } from '@tapeloom/protocol/indicators';
import type { Frame } from './frame.ts';
import { type Layer, layersOf, objectAtBar } from './layer-objects.ts';
import { paint } from './shapes.ts';

type Value = Exclude<keyof VwapData, 'deviation' | 'volume'>;

const DASHED = [4, 3];
const DOTTED = [1, 3];
const BANDS: readonly (readonly [Value, readonly number[]])[] = [
  ['upper3', DOTTED],
  ['lower3', DOTTED],
  ['upper2', DOTTED],
  ['lower2', DOTTED],
  ['upper1', DASHED],
  ['lower1', DASHED],
];

export function paintVwap(frame: Frame): void {
  for (const layer of layersOf(frame.input, 'vwap')) paintLayer(frame, layer);
}

interface Step {
  readonly column: number;
  readonly data: VwapData;
  /** A line begins here. */
  readonly isFirst: boolean;
}

function paintLayer(frame: Frame, layer: Layer<'vwap'>): void {
  const steps = stepsOf(frame, layer);
  const { shapes, isNear } = frame;
  for (const dash of [DOTTED, DASHED]) {
    const bands = shapes.lines(paint('neutral', 0.75), 1, dash);
    for (const [value, dashOfValue] of BANDS) {
      if (dashOfValue === dash) trace(frame, steps, value, bands);
    }
  }
  // In front of candles the line has a rim, so that it is seen on any of them.
  if (!isNear) trace(frame, steps, 'vwap', shapes.lines(paint('ground'), 4));
  trace(frame, steps, 'vwap', shapes.lines(paint('ink'), isNear ? 1.25 : 1.75));
  if (frame.marks === null) return;
  for (const { column, data } of steps) {
    const bar = frame.columns[column]!;
    if (bar.kind === 'gap') continue;
    const numbers = { ...data };
    frame.mark(layer.key, 'vwap', bar.id, numbers, frame.x(column + 1), frame.priceY(data.vwap));
  }
}

/** Of the columns on screen and one more at each side. */
function stepsOf(frame: Frame, layer: Layer<'vwap'>): Step[] {
  const steps: Step[] = [];
  const [first, end] = [Math.max(0, frame.from - 1), Math.min(frame.columns.length, frame.to + 1)];
  let before = -2;
  for (let column = first; column < end; column += 1) {
    const object = objectAtBar(frame, layer, column);
    if (object === null) continue;
    const isFirst = before !== column - 1 || frame.isBreak(column);
    steps.push({ column, data: object.data, isFirst });
    before = column;
  }
  return steps;
}

/** From the left edge of the first column to the right edge of each. */
function trace(
  frame: Frame,
  steps: readonly Step[],
  value: Value,
  { points, ends }: ReturnType<Frame['shapes']['lines']>,
): void {
  let isOpen = false;
  for (const { column, data, isFirst } of steps) {
    const y = frame.priceY(data[value]);
    if (isFirst) {
      if (isOpen) ends.add(points.count);
      points.add2(frame.x(column), y);
    }
    points.add2(frame.x(column + 1), y);
    isOpen = true;
  }
  if (isOpen) ends.add(points.count);
}
